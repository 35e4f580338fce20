import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// What a device does with a push that has reached it, by the state of its app, its user's settings and its budgets.
@Suite struct PhoneTests {
    private static let background = [("apns-push-type", "background"), ("apns-priority", "5")]
    private static let topic = "com.example.app"
    private static let wakes = #"{"aps":{"content-available":1}}"#

    private static func rig(_ members: String, _ more: String = "") throws -> DeliveryRig {
        try DeliveryRig(DeliveryRig.alice(members), more)
    }

    /// The history of alice as text.
    private static func history(_ rig: borrowing DeliveryRig) throws -> [String] {
        try rig.view().history.latest.map { "\($0.sequence) \($0.state)" }
    }

    @Test(
        "A background push wakes an app that may be woken",
        arguments: [
            (#""app": {"state": "background"}"#, HistoryState.woke), (#""app": {"state": "notRunning"}"#, .woke),
            (#""app": {"state": "foreground", "backgroundRefresh": false}"#, .woke),
            (#""app": {"state": "forceQuit"}"#, .dropped), (#""app": {"state": "neverLaunched"}"#, .dropped),
            (#""app": {"backgroundRefresh": false}"#, .dropped),
            (#""app": {"state": "forceQuit"}, "apps": {"com.example.app": {"state": "background"}}"#, .woke),
            (#""apps": {"com.example.app": {"state": "forceQuit"}}"#, .dropped),
            (#""notifications": false"#, .woke),
        ])
    func appStates(members: String, state: HistoryState) throws {
        var rig = try Self.rig(members)
        rig.send(Self.background, body: Self.wakes)
        #expect(rig.delivery == .delivered, "APNs does not know of it")
        #expect(try rig.view().history.latest.map(\.state) == [state], "\(members)")
    }

    @Test(
        "A notification that asks for it wakes the app, too, if the app may be woken",
        arguments: [
            ("background", true, " It wakes the app, too."), ("background", false, ""), ("forceQuit", true, ""),
        ])
    func notificationsThatWakeTheApp(state: String, refreshes: Bool, more: String) throws {
        var rig = try Self.rig(#""app": {"state": "\#(state)", "backgroundRefresh": \#(refreshes)}"#)
        rig.send(body: #"{"aps":{"alert":"Hello","content-available":1}}"#)
        #expect(try rig.view().history.latest.last?.why == "The device shows a notification.\(more)")
    }

    @Test(
        "An alert is shown as the user has allowed it",
        arguments: [
            ("true", true, 3, "default", "shown"), (#"{"authorization": "provisional"}"#, false, 3, nil, "shown"),
            (#"{"alert": false}"#, false, 3, "default", "shown"), (#"{"badge": false}"#, true, nil, "default", "shown"),
            (#"{"sound": false}"#, true, 3, nil, "shown"),
            (#"{"authorization": "notDetermined"}"#, nil, nil, nil, "ignored"),
        ] as [(String, Bool?, Int?, String?, String)])
    func permissions(setting: String, banner: Bool?, badge: Int?, sound: String?, state: String) throws {
        var rig = try Self.rig(#""notifications": \#(setting)"#)
        let sequence = rig.send(body: #"{"aps":{"alert":"Hello","badge":3,"sound":"default"}}"#)
        let view = try rig.view()
        #expect(view.history.latest.map(\.state.rawValue) == [state])
        #expect(view.displayed.first?.shown?.hasBanner == banner && view.displayed.first?.shown?.sound == sound)
        #expect(view.badge == badge ?? 0)
        let screen = rig.gateway.log.snapshot.screen(of: sequence, in: rig.gateway.scenario.apps)?
            .known(by: view, of: sequence)
        #expect((screen?.kind == .notification) == (banner != nil), "the screen of the push agrees")
        #expect(screen?.shown?.hasBanner == banner && screen?.shown?.sound == sound)
    }

    @Test(arguments: [#""notifications": false"#, #""notifications": {"authorization": "denied"}"#])
    func deniedIsOff(members: String) throws {
        var rig = try Self.rig(members)
        rig.send()
        #expect(rig.delivery == .discardedDisabled)
        #expect(try Self.history(rig).isEmpty)
    }

    @Test(
        "Where notifications are off, APNs discards what shows something, whatever its push type",
        arguments: [
            (#"{"aps":{"alert":"Hello"}}"#, Delivery.discardedDisabled), (#"{"aps":{"badge":1}}"#, .discardedDisabled),
            (#"{"aps":{"sound":"x"}}"#, .discardedDisabled), (#"{"aps":{"content-available":1}}"#, .delivered),
            ("{}", .delivered), (#"{"mdm":"x"}"#, .delivered),
        ])
    func whatShowsSomethingIsDiscarded(payload: String, delivery: Delivery) throws {
        var rig = try Self.rig(#""notifications": false"#)
        rig.send(body: payload)
        #expect(rig.delivery == delivery)
    }

    @Test(
        "It says which of the settings keeps a number or a sound away",
        arguments: [
            (#""notifications": {"badge": false}"#, #""badge":1"#, "switched off badges of"),
            (#""notifications": {"sound": false}"#, #""sound":"x""#, "switched off sounds of"),
            (#""notifications": {"badge": false, "sound": false}"#, #""badge":1,"sound":"x""#, "badges and sounds of"),
            (#""notifications": {"authorization": "provisional"}"#, #""sound":"x""#, "provisionally makes no sound"),
            (#""platform": "tvOS""#, #""sound":"x""#, "tvOS plays no sound"),
        ])
    func whatKeepsItAway(members: String, keys: String, why: String) throws {
        var rig = try Self.rig(members)
        rig.send(body: "{\"aps\":{\(keys)}}")
        let entry = try rig.view().history.latest.last
        #expect(entry?.state == .ignored && entry?.why.contains(why) == true, "\(entry?.why ?? "")")
    }

    @Test func anAppInTheForegroundGetsAnAlertItself() throws {
        var rig = try Self.rig(#""app": {"state": "foreground"}"#)
        rig.send(body: #"{"aps":{"alert":"Hello","badge":3}}"#)
        #expect(try Self.history(rig) == ["1 woke"] && rig.view().displayed.isEmpty && rig.view().badge == 0)
        try rig.change { $0.phone.app.presentsInForeground = true }
        rig.send()
        #expect(try Self.history(rig) == ["1 woke", "2 shown"] && rig.view().displayed.count == 1)
    }

    @Test func whatHasComeIsNotShownAnewWhenTheAppChanges() throws {
        var rig = try Self.rig(#""app": {"state": "forceQuit"}"#)
        rig.send()
        rig.send(Self.background, body: Self.wakes)
        try rig.change { $0.phone.app.state = .background }
        rig.send(Self.background, body: Self.wakes)
        #expect(try Self.history(rig) == ["1 shown", "2 dropped", "3 woke"])
    }

    @Test func anAppleTVOnlyShowsNumbers() throws {
        var rig = try Self.rig(#""platform": "tvOS""#)
        rig.send(body: #"{"aps":{"alert":"Hello","badge":3,"sound":"default"}}"#)
        rig.send(body: #"{"aps":{"alert":"Hello"}}"#)
        #expect(try Self.history(rig) == ["1 shown", "2 ignored"] && rig.view().displayed.isEmpty)
        #expect(try rig.view().badge == 3)
    }

    // MARK: Budgets

    private static let two = #""budgets": {"background": {"allowed": 2, "per": "1h"}}"#

    @Test("Beyond its budget an app is woken with the newest push only, once the budget allows it")
    func heldPushes() throws {
        var rig = try Self.rig(Self.two)
        for _ in 0..<4 { rig.send(Self.background, body: Self.wakes) }
        #expect(rig.delivery == .delivered)
        #expect(try Self.history(rig) == ["1 woke", "2 woke", "3 heldByBudget", "3 replaced", "4 heldByBudget"])
        try rig.advance(by: 3_599_999)
        #expect(try Self.history(rig).count == 5)
        try rig.advance(by: 1)
        #expect(try Self.history(rig).last == "4 woke")
        #expect(try rig.view().history.latest.last?.clock == DeliveryRig.start.advanced(by: 3_600_000))
        rig.send(Self.background, body: Self.wakes)
        rig.send(Self.background, body: Self.wakes)
        #expect(try Self.history(rig).suffix(2) == ["5 woke", "6 heldByBudget"], "the held one counts")
        #expect(try rig.view().history.latest.last?.why.contains("2 background pushes within 1h") == true)
    }

    @Test("A held push follows the state of its app", arguments: [AppState.foreground, .forceQuit, .notRunning])
    func heldPushesFollowTheApp(state: AppState) throws {
        var rig = try Self.rig(Self.two)
        for _ in 0..<3 { rig.send(Self.background, body: Self.wakes) }
        try rig.change { $0.phone.app.state = state }
        try rig.advance(by: 3_600_000)
        let last = try Self.history(rig).last
        #expect(last == (state == .forceQuit ? "3 dropped" : "3 woke"))
        let clock = try rig.view().history.latest.last?.clock
        #expect((clock == DeliveryRig.start) == (state != .notRunning), "at once, unless it has to wait")
    }

    @Test func withoutAnyBudgetNothingIsHeld() throws {
        var rig = try Self.rig(#""budgets": {"background": {"allowed": 0, "per": "1h"}}"#)
        rig.send(Self.background, body: Self.wakes)
        #expect(try Self.history(rig) == ["1 dropped"])
    }

    @Test(arguments: [AppState.forceQuit, .neverLaunched, .foreground])
    func anAppThatIsNotWokenUsesNoBudget(_ state: AppState) throws {
        var rig = try Self.rig(#""app": {"state": "\#(state.rawValue)"}, \#(Self.two)"#)
        for _ in 0..<3 { rig.send(Self.background, body: Self.wakes) }
        try rig.change { $0.phone.app.state = .background }
        rig.send(Self.background, body: Self.wakes)
        #expect(try Self.history(rig).last == "4 woke")
    }

    /// The system reloads them, so that the state of the app does not matter.
    @Test(arguments: [AppState.background, .forceQuit, .foreground])
    func widgetsHaveABudget(_ state: AppState) throws {
        var rig = try DeliveryRig(
            #"""
            {"name": "alice", "token": "TOKEN", "app": {"state": "\#(state.rawValue)"},
             "budgets": {"widgets": {"allowed": 1, "per": "1d"}}}
            """#)
        for _ in 0..<2 {
            rig.send(
                ("apns-push-type", "widgets"), body: #"{"aps":{"content-changed":true}}"#,
                topic: "com.example.app.push-type.widgets")
        }
        #expect(try Self.history(rig) == ["1 woke", "2 dropped"])
    }

    @Test func widgetPushesWithoutAChangeUseNoBudget() throws {
        var rig = try DeliveryRig(
            #"{"name": "alice", "token": "TOKEN", "budgets": {"widgets": {"allowed": 1, "per": "1d"}}}"#)
        for aps in ["{}", #"{"content-changed":false}"#, #"{"content-changed":true}"#, #"{"content-changed":true}"#] {
            rig.send(
                ("apns-push-type", "widgets"), body: "{\"aps\":\(aps)}", topic: "com.example.app.push-type.widgets")
        }
        #expect(try Self.history(rig) == ["1 ignored", "2 ignored", "3 woke", "4 dropped"])
    }

    @Test(
        arguments: ["widgets", "controls"],
        [("{}", .ignored), (#"{"content-changed":false}"#, .ignored), (#"{"content-changed":true}"#, .woke)]
            as [(String, HistoryState)])
    func nothingIsReloadedWithoutAChange(type: String, reaction: (aps: String, state: HistoryState)) throws {
        var rig = try DeliveryRig(#"{"name": "alice", "token": "TOKEN"}"#)
        rig.send(
            ("apns-push-type", type), body: "{\"aps\":\(reaction.aps)}", topic: "com.example.app.push-type.\(type)")
        #expect(try rig.view().history.latest.map(\.state) == [reaction.state])
    }

    private static func liveActivity(
        _ rig: inout DeliveryRig, _ event: String, priority: String = "10", token: String = GatewayRig.deviceToken
    ) {
        let keys =
            event == "start"
            ? #""attributes-type":"Match","attributes":{},"input-push-token":1,"alert":{"title":"Go"},"# : ""
        rig.send(
            ("apns-push-type", "liveactivity"), ("apns-priority", priority),
            body: #"{"aps":{"event":"\#(event)","timestamp":1795255200,\#(keys)"content-state":{"n":1}}}"#,
            topic: "com.example.app.push-type.liveactivity", to: token)
    }

    @Test("Starts and urgent updates of Live Activities have budgets", arguments: [true, false])
    func liveActivityBudgets(hasOwnTokens: Bool) throws {
        var rig = try DeliveryRig(
            #"""
            {"name": "alice", "token": "TOKEN", "budgets": {"pushToStart": {"allowed": 1, "per": "1h"},
             "liveActivityPriority10": {"allowed": 1, "per": "1h"}}}
            """#, hasOwnTokens ? #""liveActivities": {"tokens": "own"},"# : "")
        let start = try rig.view().startTokens.first?.token.hex ?? GatewayRig.deviceToken
        for _ in 0..<2 { Self.liveActivity(&rig, "start", token: start) }
        let view = try rig.view()
        #expect(view.activities.count == 1)
        let update = view.activities.first?.token?.hex ?? GatewayRig.deviceToken
        for priority in ["10", "5", "10"] { Self.liveActivity(&rig, "update", priority: priority, token: update) }
        let history = try Self.history(rig)
        #expect(history == ["1 shown", "2 dropped", "3 shown", "4 shown", "5 dropped"])
        #expect(try rig.view().activities.first?.sequence == 4)
    }

    @Test(
        "A background push that does not ask to wake the app is ignored, and uses no budget",
        arguments: [#"{"aps":{}}"#, #"{"aps":{"content-available":true}}"#, #"{"aps":{"sound":"default"}}"#, "{}"])
    func backgroundWithoutTheFlag(body: String) throws {
        var rig = try Self.rig(Self.two)
        for _ in 0..<2 { rig.send(Self.background, body: body) }
        for _ in 0..<3 { rig.send(Self.background, body: Self.wakes) }
        rig.send(Self.background, body: body)
        let states = ["1 ignored", "2 ignored", "3 woke", "4 woke", "5 heldByBudget", "6 ignored"]
        #expect(try Self.history(rig) == states, "nor does it take the place of the one that is held")
    }

    @Test func anAlertThatOnlyWakesTheAppCountsAsABackgroundPush() throws {
        var rig = try Self.rig(Self.two)
        for _ in 0..<4 { rig.send(body: Self.wakes) }
        rig.send(body: #"{"aps":{"alert":"Hello","content-available":1}}"#)
        let states = ["1 woke", "2 woke", "3 heldByBudget", "3 replaced", "4 heldByBudget", "5 shown"]
        #expect(try Self.history(rig) == states)
    }

    @Test(
        "A push without a push type is what its topic says",
        arguments: [
            (".voip", "woke"), (".voip-ptt", "woke"), (".complication", "woke"), (".location-query", "woke"),
            (".pushkit.fileprovider", "woke"), (".push-type.widgets", "ignored"), ("", "shown"), (".other", "shown"),
        ])
    func withoutAPushType(suffix: String, state: String) throws {
        for notifications in [true, false] {
            var rig = try DeliveryRig(#"{"name": "alice", "token": "TOKEN", "notifications": \#(notifications)}"#)
            let sequence = rig.send(body: #"{"aps":{"alert":"Call"}}"#, topic: "com.example.app" + suffix)
            let isDiscarded = state == "shown" && !notifications
            #expect(rig.delivery == (isDiscarded ? .discardedDisabled : .delivered))
            #expect(try rig.view().history.latest.map(\.state.rawValue) == (isDiscarded ? [] : [state]))
            let screen = rig.gateway.log.snapshot.screen(of: sequence, in: rig.gateway.scenario.apps)
            #expect((screen?.kind == .notification) == (state == "shown" && !isDiscarded))
        }
    }

    @Test func aStartThatStartsNothingUsesNoBudget() throws {
        var rig = try DeliveryRig(
            #"{"name": "alice", "token": "TOKEN", "budgets": {"pushToStart": {"allowed": 1, "per": "1h"}}}"#)
        rig.send(
            ("apns-push-type", "liveactivity"), body: #"{"aps":{"event":"start"}}"#,
            topic: "com.example.app.push-type.liveactivity")
        for _ in 0..<2 { Self.liveActivity(&rig, "start") }
        #expect(try Self.history(rig) == ["1 ignored", "2 shown", "3 dropped"])
    }

    @Test func eachAppHasBudgetsOfItsOwn() throws {
        var rig = try DeliveryRig(#"{"name": "alice", "token": "TOKEN", \#(Self.two)}"#)
        for topic in ["com.example.app", "com.example.other"] {
            for _ in 0..<3 { rig.send(Self.background, body: Self.wakes, topic: topic) }
        }
        let within = ["1 woke", "2 woke", "3 heldByBudget", "4 woke", "5 woke", "6 heldByBudget"]
        #expect(try Self.history(rig) == within)
        try rig.change { $0.phone.apps["com.example.other"] = .opened(.forceQuit) }
        try rig.advance(by: 3_600_000)
        #expect(try Self.history(rig) == within + ["6 dropped", "3 woke"])
    }

    @Test func whatIsHeldWakesItsAppsInOrder() throws {
        var rig = try DeliveryRig(#"{"name": "alice", "token": "TOKEN", \#(Self.two)}"#)
        let (app, other) = ("com.example.app", "com.example.other")
        for topic in [app, app, other, other, app, other] { rig.send(Self.background, body: Self.wakes, topic: topic) }
        try rig.advance(by: 3_600_000)
        #expect(try Self.history(rig).suffix(2) == ["5 woke", "6 woke"], "the earlier push, when both may")
    }

    @Test func theAppThatMaySoonerIsWokenFirst() throws {
        var rig = try DeliveryRig(#"{"name": "alice", "token": "TOKEN", \#(Self.two)}"#)
        let (app, other) = ("com.example.app", "com.example.other")
        for topic in [other, other] { rig.send(Self.background, body: Self.wakes, topic: topic) }
        try rig.advance(by: 1_800_000)
        for topic in [app, app, app, other] { rig.send(Self.background, body: Self.wakes, topic: topic) }
        try rig.advance(by: 3_600_000)
        #expect(try Self.history(rig).suffix(2) == ["6 woke", "5 woke"])
    }

    @Test(
        "A held push follows its budget",
        arguments: [nil, Phone.Budget(allowed: 5, per: 3_600_000), Phone.Budget(allowed: 1, per: 3_600_000)])
    func heldPushesFollowTheBudget(budget: Phone.Budget?) throws {
        var rig = try Self.rig(Self.two)
        for _ in 0..<3 { rig.send(Self.background, body: Self.wakes) }
        try rig.change { $0.phone.budgets[.background] = .some(budget) }
        rig.send(Self.background, body: Self.wakes)
        let isOver = budget?.allowed == 1
        let rest = isOver ? ["3 replaced", "4 heldByBudget"] : ["3 woke", "4 woke"]
        #expect(try Self.history(rig).suffix(rest.count) == rest[...])
    }

    @Test func aHeldPushIsDroppedWithItsBudget() throws {
        var rig = try Self.rig(Self.two)
        for _ in 0..<3 { rig.send(Self.background, body: Self.wakes) }
        try rig.change { $0.phone.budgets[.background] = .some(Phone.Budget(allowed: 0, per: 3_600_000)) }
        try rig.advance(by: 7_200_000)
        #expect(try Self.history(rig).suffix(2) == ["3 heldByBudget", "3 dropped"])
    }

    @Test func aRemovedAppIsNotWoken() throws {
        var rig = try Self.rig(Self.two)
        for _ in 0..<3 { rig.send(Self.background, body: Self.wakes) }
        let removal = DeliveryRig.start.advanced(by: 60_000)
        try rig.change { $0.registration = .unregistered(at: removal, acceptFor: 0) }
        #expect(try Self.history(rig).last == "3 heldByBudget")
        try rig.advance(by: 3_600_000)
        let history = try rig.view().history.latest
        #expect(history.last?.state == .dropped && history.last?.clock == removal)
        try rig.change { $0.registration = .registered }
        let rest = try Self.history(rig).suffix(2)
        #expect(rest == ["3 heldByBudget", "3 dropped"], "it is not held for the app's return")
    }

    @Test func thePushsScreenTellsWhatCameOfItLater() throws {
        var rig = try Self.rig(Self.two)
        for _ in 0..<4 { rig.send(Self.background, body: Self.wakes) }
        rig.send()
        _ = rig.gateway.respond(.dismissal, to: 5, on: try rig.device(), at: rig.now)
        let view = try rig.view()
        let texts = [3, 5].map { sequence in
            rig.gateway.log.snapshot.screen(of: sequence, in: rig.gateway.scenario.apps)?.known(by: view, of: sequence)
                .text
        }
        #expect(texts[0]?.hasSuffix(". Push 4 has taken its place: a device holds only the newest.") == true)
        #expect(texts[1] == "The device shows a notification. The user dismissed the notification.")
    }

    // MARK: What the user does

    private static let opening = UserResponse(action: ResponseEvent.open, opensApp: topic)

    @Test func openingANotificationTakesItAway() throws {
        var rig = try Self.rig("")
        for _ in 0..<2 { rig.send() }
        let found = rig.alice
        let alice = try #require(found)
        let effects = rig.gateway.respond(UserResponse(action: "REPLY", text: "Yes"), to: 1, on: alice, at: rig.now)
        #expect(try Self.history(rig) == ["1 shown", "2 shown", "1 opened"])
        #expect(try rig.view().displayed.map(\.sequence) == [2])
        var line: [UInt8] = []
        effects.first?.appendLine(at: rig.now, to: &line)
        let event = try JSONText.read(line)
        #expect(event["event"]?.string == "response" && event["device"]?.string == "alice")
        #expect(event["action"]?.string == "REPLY" && event["text"]?.string == "Yes")
        // Once it has gone, it cannot be opened again.
        _ = rig.gateway.respond(UserResponse(action: ResponseEvent.open), to: 1, on: alice, at: rig.now)
        #expect(try Self.history(rig).count == 3)
    }

    @Test(
        "Opening a notification opens its app, which may be woken again",
        arguments: [#""app": {"state": "forceQuit"}"#, #""apps": {"com.example.app": {"state": "neverLaunched"}}"#])
    func openingTheApp(members: String) throws {
        var rig = try Self.rig(members)
        rig.send(Self.background, body: Self.wakes)
        rig.send()
        let found = rig.alice
        let alice = try #require(found)
        _ = rig.gateway.respond(Self.opening, to: 2, on: alice, at: rig.now)
        rig.send(Self.background, body: Self.wakes)
        #expect(try Self.history(rig) == ["1 dropped", "2 shown", "2 opened", "3 woke"])
        let phone = try rig.view().device.phone
        #expect(phone.app(of: Self.topic).state == .background)
    }

    /// How many changes of the device are reported, and the state of the app afterwards.
    @Test(
        arguments: [
            ("", 0, .background), (#""app": {"state": "foreground"}"#, 0, .foreground),
            (#""app": {"state": "forceQuit"}"#, 2, .background),
        ] as [(String, Int, AppState)])
    func openingAnAppChangesWhatIsNotOpen(_ members: String, _ changes: Int, _ state: AppState) throws {
        var rig = try Self.rig(members)
        rig.send()
        let found = rig.alice
        let effects = rig.gateway.respond(Self.opening, to: 1, on: try #require(found), at: rig.now)
        #expect(effects.count { if case .device? = $0.event { true } else { false } } == changes)
        let phone = try rig.view().device.phone
        #expect(phone.app(of: Self.topic).state == state)
    }

    @Test func openingTheAppGivesItWhatIsHeld() throws {
        var rig = try Self.rig(Self.two)
        for _ in 0..<3 { rig.send(Self.background, body: Self.wakes) }
        rig.send()
        let found = rig.alice
        let alice = try #require(found)
        _ = rig.gateway.respond(Self.opening, to: 4, on: alice, at: rig.now)
        #expect(try Self.history(rig).suffix(2) == ["4 opened", "3 woke"])
    }

    @Test func theLatestThousandEntriesAreKept() throws {
        var rig = try Self.rig("")
        for _ in 0..<1201 { rig.send() }
        let entries = try rig.view().history.latest
        #expect(entries.count == 1000 && entries.last?.sequence == 1201 && entries.first?.sequence == 202)
    }

    @Test func aDeviceThatRegisteredItselfHasAHistoryFromTheLog() throws {
        var rig = try DeliveryRig()
        rig.send()
        rig.send(("apns-push-type", "voip"), topic: "com.example.app.voip")
        #expect(try rig.view().history.latest.map(\.state) == [.shown])
        rig.send(("apns-push-type", "background"), ("apns-priority", "5"), body: Self.wakes)
        #expect(try rig.view().history.latest.map(\.state) == [.shown, .woke])
    }

    @Test(arguments: [
        "{}", #"{"notifications":{},"app":{}}"#, #"{"notifications":{"authorization":"x"},"app":{"state":"x"}}"#,
        #"{"platform":"x","apps":{},"budgets":{"x":{"allowed":1,"per":"1h"},"widgets":{"allowed":1}}}"#,
    ])
    func whatALogLeavesOutIsAsUsual(_ members: String) throws {
        let recorded = try JSONText.read(Array(members.utf8))
        #expect(Phone(recorded: { recorded[$0] }) == Phone())
    }

    @Test func appsAndBudgetsAreWrittenInOrder() throws {
        var phone = Phone()
        for budget in [DeviceBudget.widgets, .background, .pushToStart, .liveActivityPriority10] {
            phone.budgets[budget] = Phone.Budget(allowed: 1, per: 1000)
        }
        let apps = ["com.example.a", "com.example.b", "com.example.c", "com.example.d"]
        for app in apps.reversed() { phone.apps[app] = Phone.AppCondition() }
        let members = try #require(phone.members(isWhole: false))
        #expect(members["apps"]?.object?.map(\.key) == apps)
        let budgets = ["background", "liveActivityPriority10", "pushToStart", "widgets"]
        #expect(members["budgets"]?.object?.map(\.key) == budgets)
    }

    @Test func changesGoWithWhatWasSaid() {
        var phone = Phone()
        phone.app.refreshes = false
        var change = PhoneChange()
        change.app.state = .forceQuit
        change.apps["com.example.app.voip"] = PhoneChange.AppChange()
        change.permission.showsBadge = false
        change.apply(to: &phone)
        #expect(phone.app.state == .forceQuit && !phone.app.refreshes)
        #expect(phone.apps["com.example.app"]?.state == .forceQuit, "it begins with the state of the others")
        #expect(phone.permission.authorization == .authorized && !phone.permission.showsBadge)
        phone.budgets[.widgets] = Phone.Budget(allowed: 1, per: 1)
        (change.apps["com.example.app"], change.budgets[.widgets]) = (.some(nil), .some(nil))
        change.apps["com.example.app.voip"] = nil
        change.apply(to: &phone)
        #expect(phone.apps.isEmpty && phone.budgets.isEmpty)
    }

    /// In whatever order a dictionary has them.
    @Test func ofAnAppsTopicsTheLastCounts() {
        var phone = Phone()
        var change = PhoneChange()
        let apps = (1...20).map { "com.example.app\($0)" }
        for app in apps {
            (change.apps[app], change.apps[app + ".voip"]) = (.opened(.forceQuit), .opened(.foreground))
        }
        change.apply(to: &phone)
        #expect(apps.map { phone.apps[$0]?.state } == Array(repeating: .foreground, count: 20))
    }

    @Test func aPhoneHasABoundForStatesOfApps() {
        var phone = Phone()
        var change = PhoneChange()
        for number in 0..<60 { change.apps["com.example.app\(number)"] = .opened(.forceQuit) }
        #expect(change.appCount(on: phone) == 60)
        change.apply(to: &phone)
        #expect(phone.apps.count == Phone.appLimit)
        // One that goes makes room for another.
        change = PhoneChange()
        change.apps = [phone.apps.keys.first ?? "": nil, "com.example.another.voip": .opened(.foreground)]
        #expect(change.appCount(on: phone) == Phone.appLimit)
        change.apply(to: &phone)
        #expect(phone.apps.count == Phone.appLimit && phone.apps["com.example.another"]?.state == .foreground)
    }
}
