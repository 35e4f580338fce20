import GatewayRigs
import Testing

@testable import MockAPNSCore

/// What pushes of type `liveactivity` leave on a screen, and when it goes.
@Suite struct LiveActivityTests {
    private static let start = GatewayRig.now
    private static let hour: Int64 = 3_600_000

    private static func at(_ hours: Double) -> Timestamp { start.advanced(by: Int64(hours * Double(hour))) }

    /// - Parameters:
    ///   - hours: when it comes, after the beginning.
    ///   - sent: when it says it was made; `nil`: it does not say.
    private static func push(
        _ number: Int, _ event: String, _ more: String = "", at hours: Double = 0, sent: Double? = 0
    ) -> KeptPush {
        let timestamp = sent.map { #", "timestamp": \#(at($0).seconds)"# } ?? ""
        let body = #"{"aps": {"event": "\#(event)"\#(timestamp)\#(more)}}"#
        return KeptPush(
            sequence: number, time: at(hours), topic: nil, collapseID: [UInt8]().span, payload: Array(body.utf8).span)
    }

    private static let startKeys =
        #", "attributes-type": "Game", "attributes": {"id": 7}, "content-state": {"score": "0-0"}, "alert": {"title": "Go"}"#

    private static func state(_ score: String) -> String { #", "content-state": {"score": "\#(score)"}"# }

    private static func activities(_ pushes: KeptPush...) -> LiveActivities {
        var activities = LiveActivities()
        for push in pushes { activities.apply(push) }
        return activities
    }

    private static func score(_ activity: LiveActivity?) -> String? { activity?.state?["score"]?.string }

    @Test func startUpdateAndEnd() {
        let all = Self.activities(
            Self.push(1, "start", Self.startKeys),
            Self.push(2, "update", Self.state("1-0"), at: 1, sent: 1))
        let shown = all.shown(at: Self.at(1))
        #expect(shown.count == 1 && Self.score(shown.first) == "1-0")
        #expect(shown.first?.attributesType == "Game" && shown.first?.channel == nil)
        #expect(shown.first?.startedAt == Self.start && shown.first?.endsAt == Self.at(8))
        var ended = all
        ended.apply(Self.push(3, "end", Self.state("2-0"), at: 2, sent: 0))
        let last = ended.shown(at: Self.at(5.9)).first
        #expect(last?.event == .end && Self.score(last) == "2-0" && last?.endsAt == Self.at(6))
        #expect(ended.shown(at: Self.at(6)).isEmpty)
    }

    @Test func activitiesStartedOnAChannelListenOnlyThere() {
        let all = Self.activities(Self.push(1, "start", Self.startKeys + #", "input-push-channel": "c2NvcmU=""#))
        #expect(all.shown(at: Self.start).isEmpty)
    }

    @Test func onlyAStartMayNameAChannel() {
        let channel = #", "input-push-channel": "c2NvcmU=""#
        let shown = Self.activities(
            Self.push(1, "start", Self.startKeys), Self.push(2, "update", Self.state("1-0") + channel, at: 1, sent: 1)
        ).shown(at: Self.at(1))
        #expect(shown.map(Self.score) == ["1-0"])
    }

    @Test func activitiesTheAppEndedStayUnchanged() {
        var activity = LiveActivity(name: "match", on: "AAAA", at: Self.start)
        activity.end(at: Self.at(1))
        activity.end(at: Self.at(2))
        #expect(activity.hasEnded && activity.endsAt == Self.at(5))
    }

    @Test("An update goes to the newest activity that has not ended")
    func updateAfterAnEnd() {
        let shown = Self.activities(
            Self.push(1, "start", Self.startKeys), Self.push(2, "start", Self.startKeys, at: 1, sent: 1),
            Self.push(3, "end", at: 1.5, sent: 1.5), Self.push(4, "update", Self.state("1-0"), at: 2, sent: 2)
        ).shown(at: Self.at(2))
        #expect(shown.map(Self.score) == ["1-0", "0-0"] && shown.map(\.event) == [.update, .end])
    }

    @Test("A push to the token of an activity that the app has started finds it")
    func startedByTheApp() {
        let shown = Self.activities(Self.push(1, "update", Self.state("1-0"))).shown(at: Self.start)
        #expect(shown.count == 1 && shown.first?.attributesType == nil && Self.score(shown.first) == "1-0")
        let ended = Self.activities(Self.push(1, "end")).shown(at: Self.start).first
        #expect(ended?.event == .end && ended?.endsAt == Self.at(4))
    }

    @Test(
        "What is ignored says why",
        arguments: [
            (1.0 as Double?, 2.0, "before that of what is shown"), (nil, 2.0, #"no "timestamp""#),
            (10.1, 2.0, "more than 8 hours ahead"),
            (2000, 2.0, "more than 8 hours ahead"),
        ])
    func ignored(_ sent: Double?, _ hours: Double, _ why: String) {
        let shown = Self.activities(
            Self.push(1, "start", Self.startKeys, at: 1.5, sent: 1.5),
            Self.push(2, "update", Self.state("9-9"), at: hours, sent: sent)
        ).shown(at: Self.at(hours))
        #expect(Self.score(shown.first) == "0-0" && shown.first?.sequence == 1)
        #expect(shown.first?.ignored.map(\.sequence) == [2])
        #expect(shown.first?.ignored.first?.why.contains(why) == true, "\(shown)")
    }

    @Test("At both borders of time an update counts", arguments: [1.5, 10])
    func borders(_ sent: Double) {
        let shown = Self.activities(
            Self.push(1, "start", Self.startKeys, at: 1.5, sent: 1.5),
            Self.push(2, "update", Self.state("9-9"), at: 2, sent: sent)
        ).shown(at: Self.at(2))
        #expect(Self.score(shown.first) == "9-9")
    }

    @Test func updatesOlderThanTheAppliedOneAreIgnored() {
        let shown = Self.activities(
            Self.push(1, "start", Self.startKeys), Self.push(2, "update", Self.state("2-0"), at: 2, sent: 2),
            Self.push(3, "update", Self.state("1-0"), at: 3, sent: 1)
        ).shown(at: Self.at(3))
        #expect(Self.score(shown.first) == "2-0" && shown.first?.ignored.map(\.sequence) == [3])
    }

    @Test func theDeviceSaysWhatItDoesWithAPush() {
        var all = Self.activities(
            Self.push(1, "start", Self.startKeys), Self.push(2, "update", Self.state("2-0"), at: 2, sent: 2))
        let ignored = all.apply(Self.push(3, "update", Self.state("1-0"), at: 3, sent: 1))
        #expect(ignored.state == .ignored && ignored.shows == .nothing)
        #expect(ignored.why == "The device ignored the push. Its \"timestamp\" is before that of what is shown.")
        var early = Self.activities(Self.push(1, "start", Self.startKeys, sent: 3600))
        let blameless = early.apply(Self.push(2, "update", Self.state("1-0"), at: 2, sent: 2))
        #expect(blameless.why.hasSuffix("before that of what is shown, which is ahead of the clock."))
        let applied = all.apply(Self.push(4, "update", Self.state("3-0"), at: 3, sent: 3))
        #expect(applied == Reaction(.shown, shows: .activity, "The device updates a Live Activity."))
        let loud = all.apply(Self.push(5, "end", #", "alert": {"title": "Over"}"#, at: 4))
        #expect(loud.why == "The device ends a Live Activity, and lights its screen.")
        #expect(all.apply(Self.push(6, "begin")) == .unknownEvent)
    }

    @Test func theLatestTwentyThatWereIgnoredAreRemembered() {
        var all = Self.activities(Self.push(1, "start", Self.startKeys, at: 1, sent: 1))
        for number in 2...22 { all.apply(Self.push(number, "update", at: 1, sent: 0)) }
        #expect(all.shown(at: Self.at(1)).first?.ignored.map(\.sequence) == Array(3...22))
    }

    @Test func whatHasEndedTakesNothing() {
        let shown = Self.activities(
            Self.push(1, "start", Self.startKeys), Self.push(2, "end", at: 1),
            Self.push(3, "update", Self.state("9-9"), at: 2, sent: 2)
        ).shown(at: Self.at(2))
        #expect(shown.first?.event == .end && shown.first?.ignored.first?.why == "The Live Activity had ended.")
    }

    @Test("After 8 hours it ends by itself, and 4 hours later it has left the screen")
    func longLife() {
        let all = Self.activities(Self.push(1, "start", Self.startKeys))
        #expect(all.shown(at: Self.at(7.99)).first?.event == .start)
        #expect(
            all.shown(at: Self.at(8)).first?.event == .end && all.shown(at: Self.at(8)).first?.endsAt == Self.at(12))
        #expect(all.shown(at: Self.at(11.99)).count == 1 && all.shown(at: Self.at(12)).isEmpty)
    }

    @Test(
        "A dismissal date takes it away earlier, one that is past at once, one that is late not later",
        arguments: [
            (2.5, 2.5), (1, 2), (9, 6),
        ])
    func dismissal(_ date: Double, _ gone: Double) {
        let all = Self.activities(
            Self.push(1, "start", Self.startKeys),
            Self.push(2, "end", #", "dismissal-date": \#(Self.at(date).seconds)"#, at: 2))
        #expect(all.shown(at: Self.at(gone)).isEmpty)
        if gone > 2 { #expect(all.shown(at: Self.at(gone - 0.01)).count == 1) }
    }

    @Test func staleWhenItsDateHasCome() {
        let all = Self.activities(
            Self.push(1, "update", Self.state("0-0") + #", "stale-date": \#(Self.at(1).seconds)"#))
        let shown = all.shown(at: Self.start).first
        #expect(shown?.isStale(at: Self.at(0.99)) == false && shown?.isStale(at: Self.at(1)) == true)
        var updated = all
        updated.apply(Self.push(2, "update", Self.state("1-0"), at: 2, sent: 2))
        #expect(updated.shown(at: Self.at(2)).first?.isStale(at: Self.at(2)) == false)
    }

    @Test(
        "A start that lacks something starts nothing",
        arguments: ["attributes-type", "attributes", "content-state", "alert"])
    func badStart(_ key: String) {
        let keys = Self.startKeys.replacing(#""\#(key)":"#, with: #""x":"#)
        #expect(Self.activities(Self.push(1, "start", keys)).shown(at: Self.start).isEmpty)
    }

    @Test func aStartWithoutATimestampStartsNothing() {
        let start = Self.push(1, "start", Self.startKeys, sent: nil)
        #expect(Self.activities(start).shown(at: Self.start).isEmpty)
    }

    @Test func anUpdateWithoutAStateIsIgnored() {
        let keys = Self.startKeys.replacing(#"{"score": "0-0"}"#, with: "7")
        #expect(Self.activities(Self.push(1, "start", keys)).shown(at: Self.start).isEmpty)
        let shown = Self.activities(
            Self.push(1, "start", Self.startKeys), Self.push(2, "update", #", "content-state": 7"#)
        ).shown(at: Self.start)
        #expect(Self.score(shown.first) == "0-0" && shown.first?.sequence == 1)
        #expect(shown.first?.ignored.map(\.why) == [#"Its "content-state" is missing or is no object."#])
        var none = LiveActivities()
        #expect(none.apply(Self.push(1, "update")).state == .ignored && none.shown(at: Self.start).isEmpty)
    }

    @Test("A date beyond what can be counted is past, or never comes", arguments: [("-1e300", true), ("1e300", false)])
    func datesBeyondTheRange(date: String, isPast: Bool) {
        let shown = Self.activities(Self.push(1, "update", Self.state("0-0") + #", "stale-date": \#(date)"#))
            .shown(at: Self.start)
        #expect(shown.first?.isStale(at: Self.start) == isPast)
    }

    @Test(arguments: [("75", true), ("-0.5", true), (#""75""#, false), ("null", false), ("[75]", false)])
    func onlyANumberIsARelevanceScore(score: String, isOne: Bool) {
        let shown = Self.activities(Self.push(1, "start", Self.startKeys + #", "relevance-score": \#(score)"#))
            .shown(at: Self.start)
        #expect(shown.map { $0.relevanceScore != nil } == [isOne])
    }

    @Test func aSecondStartIsASecondActivity() {
        let shown = Self.activities(
            Self.push(1, "start", Self.startKeys), Self.push(2, "start", Self.startKeys),
            Self.push(3, "update", Self.state("1-0"), at: 1, sent: 1)
        ).shown(at: Self.at(1))
        #expect(shown.map { Self.score($0) } == ["0-0", "1-0"])
    }

    @Test func noMoreThanTwentyAreRemembered() {
        var all = LiveActivities()
        for number in 1...30 { all.apply(Self.push(number, "start", Self.startKeys)) }
        #expect(all.shown(at: Self.start).map(\.sequence) == Array(11...30))
    }

    /// Only these payloads cost more than a look.
    @Test(
        arguments: [
            (#"{"aps":{"input-push-channel":"AAAA"}}"#, true), (#"{"aps":{"input\u002Dpush-channel":"AAAA"}}"#, true),
            (#"{"aps":{"i\u006eput-push-channel":"AAAA"}}"#, true),
            (#"{"aps":{"in\u0070ut-push-channel":"AAAA"}}"#, true),
            (#"{"aps":{"alert":{"body":"\"Goal\"\n\u2019\u00e9"}}}"#, false), (#"{"aps":{}}"#, false),
        ] as [(String, Bool)])
    func payloadsThatMayNameAChannel(payload: String, mayName: Bool) {
        #expect(LiveActivityPush.mayNameChannel(Array(payload.utf8).span) == mayName)
    }
}
