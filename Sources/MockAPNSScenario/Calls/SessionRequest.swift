package import MockAPNSCore

/// The parameters for opening a session.
package struct SessionRequest: Sendable {
    /// The name; `nil` lets the server choose one.
    package var name: String?
    /// The scenario; `nil` for the default behavior.
    package var scenario: Scenario?
    /// The text of the scenario.
    package var text = Array("{}".utf8)
    /// The provider port; `nil` for any free one.
    package var port: Int?
    /// The server name that assigns connections on the server's own ports to this session.
    package var serverName: String?
    /// How long it lasts without pushes and queries, in milliseconds.
    package var expiresAfter: Int64 = 3_600_000

    /// Creates a session request with the defaults.
    package init() {}

    /// Returns whether a session may have this name: 1 to 63 lower-case letters, digits and hyphens.
    package static func isName(_ text: String) -> Bool {
        (1...63).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension SessionRequest {
    private enum Key: String, CaseIterable { case name, scenario, port, serverName, expiresAfter }

    /// Reads a session request, in which each member is optional:
    /// `{"name": "checkout-7", "scenario": {…}, "port": 2300, "serverName": "checkout.test", "expiresAfter": "10m"}`.
    ///
    /// - Parameters:
    ///   - trustedKeyIDs: the keys that the server trusts in addition to those of scenarios.
    ///   - stop: checked regularly; ends reading early.
    /// - Returns: the request, or `nil` and the mistakes.
    package static func read(
        _ value: JSONText.Value, trustedKeyIDs: [String] = [], stop: CancellationCheck = .never
    ) -> (SessionRequest?, [ScenarioMistake]) {
        var reader = ScenarioReader(stop: stop)
        reader.names.keys = Set(trustedKeyIDs)
        reader.allowsFiles = false
        reader.root = "the body"
        var request = SessionRequest()
        reader.object(value, "a session", example: #"{"name": "checkout-7"}"#, Key.self) { reader, key, value in
            switch key {
            case .name: request.name = reader.sessionName(value)
            case .scenario:
                request.text = []
                request.text.appendJSON(value)
                request.scenario = reader.scenario(value, defaultKeyIDs: Scenario.defaultKeyIDs)
            case .port: request.port = reader.integer(value, in: 0...65_535).flatMap { $0 == 0 ? nil : $0 }
            case .serverName: request.serverName = reader.text(value)?.lowercased()
            case .expiresAfter:
                guard let duration = reader.duration(value) else { return }
                request.expiresAfter = duration
                if duration < 1000 { reader.wrong(value, expected: "a duration of at least \"1s\"") }
            }
        }
        let isWhole = reader.mistakes.isEmpty && !reader.isStopped
        return (isWhole ? request : nil, reader.sortedMistakes)
    }
}

extension ScenarioReader {
    fileprivate mutating func sessionName(_ value: Value) -> String? {
        guard let name = value.string, SessionRequest.isName(name) else {
            wrong(value, expected: "a name of 1 to 63 lowercase letters, digits and hyphens")
            return nil
        }
        return name
    }
}
