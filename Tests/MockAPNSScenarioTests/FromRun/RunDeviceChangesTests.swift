import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// What changes of a device during a run become in the timeline.
@Suite struct RunDeviceChangesTests {
    /// The actions on a device that is declared in its default state, and is in these states one after the other.
    private static func actions(_ changes: ((inout Device) -> Void)...) throws -> RunSteps {
        var run = WrittenRun()
        try run.note(.declared, topics: []) { $0.name = "alice" }
        var device = Device(topics: [])
        device.name = "alice"
        for change in changes {
            change(&device)
            try run.note(.changed) { $0 = device }
        }
        return run.steps()
    }

    /// Entries of a timeline that do this to the device before any push.
    private static func entries(_ members: String...) -> [String] {
        members.map { #"{"at": "0s", "do": {"device": "alice", \#($0)}}"# }
    }

    @Test("Several changes at once are one entry")
    func severalChangesAtOnce() throws {
        let steps = try Self.actions(
            { ($0.isOnline, $0.savesPower) = (false, true) }, { ($0.isOnline, $0.savesPower) = (true, false) })
        #expect(
            steps.elements(.timeline)
                == Self.entries(#""online": false, "power": "saving""#, #""online": true, "power": "normal""#))
        #expect(
            steps.texts(.timeline) == [
                "alice goes offline and saves power", "alice comes online and no longer saves power",
            ])
    }

    @Test("Notifications are switched off and on, or change")
    func notifications() throws {
        let steps = try Self.actions(
            { $0.allowsNotifications = false }, { $0.allowsNotifications = true },
            { $0.phone.permission.authorization = .provisional })
        let provisional = #"{"authorization": "provisional", "alert": true, "badge": true, "sound": true}"#
        #expect(
            steps.elements(.timeline)
                == Self.entries(
                    #""notifications": false"#, #""notifications": true"#, #""notifications": \#(provisional)"#))
        #expect(
            steps.texts(.timeline) == [
                "alice switches notifications off", "alice switches notifications on",
                #"alice changes "notifications""#,
            ])
    }

    @Test("An app goes back to its usual state")
    func appGoesBackToItsUsualState() throws {
        let steps = try Self.actions({ $0.phone.app.state = .forceQuit }, { $0.phone.app.state = .background })
        let rest = #""backgroundRefresh": true, "presentsInForeground": false"#
        let states = ["forceQuit", "background"].map { #""app": {"state": "\#($0)", \#(rest)}"# }
        #expect(steps.elements(.timeline) == Self.entries(states[0], states[1]))
    }

    @Test("The states of apps and the budgets that are gone are taken away")
    func statesAndBudgetsThatAreGone() throws {
        let steps = try Self.actions(
            {
                $0.phone.apps = ["com.example.a": .init(), "com.example.b": .init()]
                $0.phone.budgets = [.background: .init(allowed: 2, per: 3_600_000)]
            },
            {
                $0.phone.apps["com.example.a"] = nil
                $0.phone.budgets = [:]
            })
        let state = #"{"state":"background","backgroundRefresh":true,"presentsInForeground":false}"#
        let budgets = #""budgets": {"background": {"allowed":2,"per":"1h"}}"#
        #expect(
            steps.elements(.timeline)
                == Self.entries(
                    #""apps": {"com.example.a": \#(state), "com.example.b": \#(state)}, \#(budgets)"#,
                    #""apps": {"com.example.b": \#(state), "com.example.a": null}, "budgets": {"background": null}"#))
        #expect(steps.texts(.timeline).last == #"alice changes "apps" and changes "budgets""#)
    }

    @Test("That APNs knows of a removed app earlier than it did is a change")
    func earlierKnowledgeOfARemovalIsAChange() throws {
        let time = GatewayRig.now
        let steps = try Self.actions(
            { $0.registration = .unregistered(at: time, acceptFor: 60_000) },
            { $0.registration = .unregistered(at: time, acceptFor: 0) })
        let accepted = #"{"unregisteredAt": "\#(time.text)", "acceptFor": "1m"}"#
        #expect(
            steps.elements(.timeline) == Self.entries(#""registered": \#(accepted)"#, #""registered": false"#))
    }

    // MARK: Live Activities

    private static func activity(
        _ state: ActivityChange.State, name: String? = "game", channel: String? = nil,
        _ change: (inout ActivityChange) -> Void = { _ in }
    ) -> ActivityChange {
        var activity = ActivityChange(state, name: name, channel: channel)
        change(&activity)
        return activity
    }

    /// Returns what a timeline does for a change of a Live Activity on a device without a name.
    private static func actions(of change: ActivityChange) throws -> [String] {
        let token = try #require(DeviceToken(hex: WrittenRun.alice))
        var run = WrittenRun()
        run.note(.activity(ActivityEvent(clock: GatewayRig.now, device: token, change: change)))
        let steps = run.steps()
        #expect(steps.elements(.devices).count == steps.elements(.timeline).count)
        return steps.elements(.timeline)
    }

    @Test("What the app or the user does with a Live Activity is repeated")
    func activitiesOfAppAndUser() throws {
        let token = DeviceToken(hex: WrittenRun.carol)
        let changes: [(change: ActivityChange, member: String)] = [
            (Self.activity(.started, channel: "abc"), #""subscribe": {"name": "game", "channel": "abc"}"#),
            (
                Self.activity(.started, channel: "abc") { $0.channelName = "scores" },
                #""subscribe": {"name": "game", "channel": "scores"}"#
            ),
            (
                Self.activity(.started) { $0.app = "com.example.app" },
                #""startActivity": {"name": "game", "topic": "com.example.app"}"#
            ),
            (Self.activity(.ended), #""endActivity": "game""#),
            (Self.activity(.ended, name: nil) { $0.token = token }, #""endActivity": "\#(WrittenRun.carol)""#),
            (Self.activity(.dismissed) { $0.sequence = 1 }, #""dismissActivity": "game""#),
        ]
        for (change, member) in changes {
            #expect(try Self.actions(of: change) == [#"{"at": "0s", "do": {"device": "device-1", \#(member)}}"#])
        }
    }

    @Test("What pushes do to a Live Activity, or happens by itself, is not repeated")
    func activitiesOfPushesAndByThemselves() throws {
        let changes = [
            Self.activity(.started, channel: "abc") { $0.sequence = 1 }, Self.activity(.started) { $0.sequence = 1 },
            Self.activity(.updated) { $0.sequence = 1 }, Self.activity(.ended) { $0.sequence = 1 },
            Self.activity(.ended) { $0.isByItself = true },
            Self.activity(.dismissed) { $0.isByItself = true }, Self.activity(.failed),
            Self.activity(.ended, name: nil),
        ]
        for change in changes { #expect(try Self.actions(of: change).isEmpty) }
    }
}
