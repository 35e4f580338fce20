import Foundation
import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// What each kind of push does to a screen, as a table that the tests of the page read as well.
@Suite struct ScreenTableTests {
    /// Tests/EndToEnd/page/screens.json.
    private static let table: JSONText.Value? = {
        let tests = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let bytes = FileManager.default.contents(atPath: "\(tests)/EndToEnd/page/screens.json")
        return bytes.flatMap { try? JSONText.read(Array($0)) }
    }()
    private static var rows: [JSONText.Value] { table?["rows"]?.array ?? [] }

    /// A gateway that plays the table's scenario.
    private struct Rig: ~Copyable {
        var gateway: Gateway
        private let scenario: Scenario
        private let now: Timestamp

        init() throws {
            var text: [UInt8] = []
            text.appendJSON(try #require(ScreenTableTests.table?["scenario"]))
            let (read, mistakes) = Scenario.read(text)
            scenario = try #require(read, "\(mistakes)")
            gateway = Gateway(
                scenario.configuration(seed: 1, defaultTeams: GatewayRig.teams), scenario: scenario,
                startedAt: GatewayRig.now)
            now = scenario.start(at: GatewayRig.now)
        }

        /// Sends a push of the table, as `POST /api/v1/pushes` does.
        mutating func send(_ json: JSONText.Value) throws {
            let (read, mistakes) = scenario.adminPush(from: json)
            let push = try #require(read, "\(mistakes)")
            let name = try #require(json["device"]?.string)
            let device = try #require(scenario.devices.first { $0.name == name })
            let (bytes, headerLength) = push.bytes(
                to: .device(token: device.token.hex, topic: "com.example.app"), authorization: ExamplePush.bearer())
            var request = ParsedRequest(
                RequestFacts(streamID: 0, headerLength: headerLength, bodyLength: push.body.count, inFlight: 1),
                bytes: bytes.span)
            request.facts.providerToken = gateway.remembered(ExamplePush.bearer(), proof: .verified)
            gateway.receiveFromAdmin(request, bytes: bytes.span, at: gateway.moment(at: GatewayRig.now))
        }

        /// What `GET /api/v1/requests/{…}` tells.
        func record(_ sequence: Int) throws -> JSONText.Value {
            try JSONText.read(try #require(gateway.log.snapshot.record(sequence)))
        }

        /// What `GET /api/v1/requests/{…}/screen` tells.
        func screen(_ sequence: Int) throws -> JSONText.Value {
            let log = gateway.log.snapshot
            var screen = try #require(log.screen(of: sequence, in: scenario.apps))
            if let token = log.deviceToken(of: sequence) {
                screen = screen.known(by: try view(gateway.devices.find(token)), of: sequence)
            }
            var json: [UInt8] = []
            screen.appendJSON(to: &json)
            return try JSONText.read(json)
        }

        /// What `GET /api/v1/devices/{…}` tells.
        func device(_ name: String) throws -> JSONText.Value {
            var json: [UInt8] = []
            try view(gateway.devices.find(name: name)).appendJSON(to: &json)
            return try JSONText.read(json)
        }

        private func view(_ found: DeviceIndex?) throws -> DeviceView {
            var views = [gateway.view(of: try #require(found), at: now)]
            DeviceView.complete(&views, from: gateway.log.snapshot)
            return views[0]
        }
    }

    @Test func theTableIsThere() { #expect(Self.rows.count > 80) }

    @Test("A third of the payloads are those of Apple's guides")
    func sources() { #expect(Self.rows.filter { $0["source"] != nil }.count * 3 >= Self.rows.count) }

    @Test(arguments: rows.indices) func row(index: Int) throws {
        let row = Self.rows[index]
        let name = Comment(rawValue: row["row"]?.string ?? "")
        var rig = try Rig()
        let pushes = try #require(row["pushes"]?.array)
        for push in pushes { try rig.send(push) }
        let sequence = row["asked"]?.int64.map(Int.init) ?? pushes.count
        #expect(try rig.record(sequence)["status"]?.int64 == row["status"]?.int64 ?? 200, name)
        if let expected = row["screen"] {
            let screen = try rig.screen(sequence)
            #expect(screen.has(expected), "\(name): \(screen)")
        }
        if let expected = row["device"] {
            let device = try rig.device(try #require(expected["name"]?.string))
            #expect(device.has(expected), "\(name): \(device)")
        }
    }
}

extension JSONText.Value {
    /// Whether it has all members of another, with the same values; lists have to have as many elements.
    fileprivate func has(_ other: Self) -> Bool {
        if let members = other.object { return members.allSatisfy { self[$0.key]?.has($0.value) ?? false } }
        guard let theirs = other.array else { return means(other) }
        return array.map { ours in ours.count == theirs.count && zip(ours, theirs).allSatisfy { $0.has($1) } } ?? false
    }
}
