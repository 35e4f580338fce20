import Foundation
import MockAPNS
import MockAPNSCore
import TestClients
import TestSupport
import Testing

/// Controlling a server from a test, without the admin listener.
@Suite struct ControlTests {
    private static let scenario = #"""
        {"clock": {"manual": "2026-01-01T00:00:00Z"},
         "devices": [{"name": "alice", "token": "\#(TestPush.device)", "topic": "com.example.app", "online": false}],
         "timeline": [{"at": "10m", "do": {"device": "alice", "online": true}}]}
        """#

    @Test func devicesTheClockBringsBackShowStoredPushes() async throws {
        try await withProvider {
            $0.play(Self.scenario)
        } _: { provider, server in
            let push = try TestPush(server.authorization(), [("apns-collapse-id", "score")])
            #expect(try await provider.push(push).status == "200")
            let before = try #require(await server.device("alice"))
            #expect(before.stored.map(\.sequence) == [1])
            #expect(before.stored[0].collapseID == "score")
            #expect(before.stored[0].payload == ["aps": ["alert": "Hello"]])
            #expect(before.stored[0].expiresAt == Date(timeIntervalSince1970: 1_767_225_600 + 30 * 86_400))
            #expect(before.displayed.isEmpty)
            try await server.advance(by: .seconds(600))
            let after = try #require(await server.device(TestPush.device))
            #expect(after.stored.isEmpty)
            #expect(after.displayed.map(\.sequence) == [1])
            #expect(after.displayed[0].displayedAt == Date(timeIntervalSince1970: 1_767_226_200))
            #expect((after.name, after.token) == ("alice", TestPush.device))
            #expect(after.topics == ["com.example.app"])
            #expect((after.isOnline, after.received, after.badge) == (true, 1, 0))
            #expect(await server.device("bob") == nil)
        }
    }

    @Test func aRealClockCannotBeMoved() async throws {
        try await withServer { server in
            await #expect(throws: ControlError.clockIsReal) { try await server.advance(by: .seconds(1)) }
            #expect(ControlError.clockIsReal.description.contains("manual"))
        }
    }

    @Test func aDeviceIsChanged() async throws {
        try await withProvider {
            $0.play(Self.scenario)
        } _: { provider, server in
            try server.update(device: "alice", online: true, notifications: false, savesPower: true)
            var alice = try #require(await server.device("alice"))
            #expect((alice.isOnline, alice.allowsNotifications, alice.savesPower) == (true, false, true))
            #expect(alice.isRegistered)
            try server.update(device: TestPush.device, registered: false)
            alice = try #require(await server.device("alice"))
            #expect(!alice.isRegistered)
            #expect((alice.isOnline, alice.allowsNotifications, alice.savesPower) == (true, false, true))
            let answer = try await provider.push(TestPush(server.authorization()))
            #expect(answer.body == #"{"reason":"Unregistered","timestamp":1767225600000}"#)
            #expect(throws: ControlError.unknown("No device has the name or the token \"bob\".")) {
                try server.update(device: "bob", online: true)
            }
        }
    }

    @Test func aDeviceLosesABudgetAndTheStateOfAnAppAndItsToken() async throws {
        try await withProvider {
            $0.play(Self.scenario)
        } _: { _, server in
            var change = MockAPNSServer.DeviceChange()
            change.budgets = [.background: .init(allowed: 1, per: .seconds(60))]
            change.apps = ["com.example.app": .init(.forceQuit)]
            try server.update(device: "alice", change)
            var phone = try #require(server.view(of: "alice")).device.phone
            #expect(phone.budgets.count == 1 && phone.apps["com.example.app"]?.state == .forceQuit)
            change.budgets = [.background: nil]
            change.apps = ["com.example.app": nil]
            try server.update(device: "alice", change)
            phone = try #require(server.view(of: "alice")).device.phone
            #expect(phone.budgets.isEmpty && phone.apps.isEmpty)
            try server.update(device: "alice", .renewToken)
            #expect(await server.device("alice")?.token != TestPush.device)
        }
    }

    @Test func aRuleIsAddedAndRemoved() async throws {
        try await withProvider { provider, server in
            let push = try TestPush(server.authorization())
            let name = try server.addRule(json: #"{"then": {"reject": "TooManyRequests"}}"#)
            #expect(name == "rule-1")
            #expect(try await provider.push(push).reason == "TooManyRequests")
            #expect(throws: ControlError.self) {
                try server.addRule(json: #"{"name": "rule-1", "then": {"pass": true}}"#)
            }
            try server.removeRule(name)
            #expect(try await provider.push(push).status == "200")
            #expect(throws: ControlError.unknown("No rule has the name \"rule-1\".")) { try server.removeRule(name) }
        }
    }

    @Test(arguments: [
        (#"{"then": {"rejct": "Shutdown"}}"#, "rule:1:11: then.rejct"), ("{", "rule:1:2: "), ("", "rule:1:1: "),
    ])
    func aRuleThatCannotBeReadSaysWhere(json: String, start: String) async throws {
        try await withServer { server in
            let error = #expect(throws: ControlError.self) { try server.addRule(json: json) }
            guard case .malformed(let text)? = error else { throw try #require(error) }
            #expect(text.hasPrefix(start), "\(text)")
        }
    }
}
