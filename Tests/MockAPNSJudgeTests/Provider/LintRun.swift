import Foundation
import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// A short run for the rules about providers: lines of JSON with the members of a log that matter.
///
/// `at` is the time since the start. A line with `times` and `every` stands for several, and `*` in its values for the
/// number of each, from 1 on; `"now"` for its time in seconds since 1970. `push` names a push, so that the same name is the
/// same push; without it, each is another. `providerToken` is a number, and `signed` when that token was signed. Whatever a
/// line does not have is as in a good push. `fields` are further header
/// fields. A line with `call` is a call about the broadcast channel of that name.
struct LintRun: Sendable {
    static let start = Timestamp(seconds: 1_795_255_200)

    var lines: [String]
    /// What the scenario says.
    var scenario: String?
    /// What the log explains each request with.
    var explanation: String?

    init(_ lines: String..., scenario: String? = nil) {
        self.lines = lines
        self.scenario = scenario
    }

    /// The log that a server would have written.
    var log: [UInt8] {
        get throws {
            var writer = RunWriter(explanation: explanation)
            for line in lines { try writer.write(line) }
            return Array(writer.text.utf8)
        }
    }

    /// What lint finds in it.
    func judged(_ query: LintQuery = LintQuery()) throws -> LogLint { try input.linting(query).finish() }

    /// The pushes in which lint finds something.
    func listed(_ query: PushFindingsQuery) throws -> PushFindings { try input.listingLinted(query).finish() }

    private var input: VerificationInput {
        get throws {
            var played = Scenario()
            if let scenario {
                let (read, mistakes) = Scenario.read(Array(scenario.utf8))
                played = try #require(read, "\(mistakes)")
            }
            var log = RecordedLog(of: played)
            let bytes = try self.log
            try log.read(bytes.span)
            try log.finish()
            return log.input
        }
    }

    var findings: [LintFinding] { get throws { try judged().report.findings } }
}

/// Writes the lines of a log.
private struct RunWriter {
    typealias Object = [String: Any]

    private let explanation: String?
    private(set) var text = ""
    private var sequence = 0
    /// For each connection, the provider tokens in their order.
    private var tokens: [Int: [Int]] = [:]

    init(explanation: String?) { self.explanation = explanation }

    mutating func write(_ line: String) throws {
        let given = try parse(line)
        let count = given["times"] as? Int ?? 1
        let every = try milliseconds(given["every"] ?? "0s")
        let at = try milliseconds(#require(given["at"]))
        for number in 1...count {
            let time = at + every * Int64(number - 1)
            let now = (LintRun.start.milliseconds + time) / 1000
            let text = line.replacing("*", with: "\(number)")
                .replacing("\"now\"", with: "\(now)")
            try write(parse(text), at: time)
        }
    }

    private func milliseconds(_ value: Any) throws -> Int64 {
        let text = try #require(value as? String)
        if text.hasPrefix("-") { return -(try #require(DurationText.milliseconds(String(text.dropFirst())))) }
        return try #require(DurationText.milliseconds(text))
    }

    private mutating func write(_ given: Object, at time: Int64) throws {
        let now = Timestamp(milliseconds: LintRun.start.milliseconds + time).text
        let connection = try number(given["connection"]) ?? 1
        var line: Object = ["time": now, "connection": connection, "connectionID": connection]
        if given["event"] as? String == "connection" {
            line.merge(given.filter { !["at", "connection", "times", "every"].contains($0.key) }) { $1 }
            if given["state"] as? String == "closed", line["pings"] == nil { line["pings"] = 0 }
        } else {
            try request(given, &line, at: time)
        }
        let data = try JSONSerialization.data(withJSONObject: line, options: .sortedKeys)
        text += String(decoding: data, as: UTF8.self) + "\n"
    }

    /// A number, or a text with one.
    private func number(_ value: Any?) throws -> Int? { try value.map { try #require(Int("\($0)")) } }

    private mutating func request(_ given: Object, _ line: inout Object, at time: Int64) throws {
        sequence += 1
        let path = "/3/device/\(Self.token(given["token"] as? String ?? "alice"))"
        var headers: [[String]] = []
        func field(_ name: String, _ member: String, else usual: Any? = nil) {
            let value = given[member] ?? usual
            line[member] = value ?? NSNull()
            if let value, !(value is NSNull) { headers.append([name, "\(value)"]) }
        }
        line["event"] = "request"
        line["sequence"] = sequence
        line["clock"] = line["time"]
        line["method"] = "POST"
        line["path"] = path
        line["token"] = String(path.dropFirst(10))
        for (name, value) in (given["fields"] as? [String: String] ?? [:]).sorted(by: { $0.key < $1.key }) {
            headers.append([name, value])
        }
        field("apns-topic", "topic", else: "com.example.app")
        field("apns-push-type", "pushType", else: "alert")
        field("apns-priority", "priority")
        field("apns-expiration", "expiration")
        field("apns-collapse-id", "collapseID")
        let id = given["apnsID"].flatMap { $0 as? NSNull == nil ? "\($0)" : nil } ?? "9\(sequence)"
        line["apnsID"] = JudgeRig.id(try #require(Int(id)))
        if given["apnsID"] as? NSNull == nil { headers.append(["apns-id", JudgeRig.id(try #require(Int(id)))]) }
        try authenticate(given, &line, &headers, at: time)
        line["headers"] = headers
        let push = given["push"] as? String ?? "\(sequence)"
        let payload = given["payload"] ?? ["aps": ["alert": ["title": "Game \(push)", "body": "Your turn"]]]
        line["payload"] = payload
        line["payloadBytes"] =
            payload is NSNull ? 0 : try JSONSerialization.data(withJSONObject: payload).count
        let reason = try (given["reason"] as? String).map { try #require(Reason(rawValue: $0)) }
        if let name = given["call"] as? String { try call(name, given, &line, &headers) }
        let outcome = given["outcome"] as? String ?? "responded"
        line["reason"] = reason?.name ?? NSNull()
        line["outcome"] = outcome
        let good = ["create": 201, "delete": 204][given["call"] as? String] ?? 200
        line["status"] = given["status"] ?? (outcome == "responded" ? reason.map { Int($0.status) } ?? good : NSNull())
        line["decidedBy"] = given["decidedBy"] ?? "checks"
        line["explanation"] = explanation ?? NSNull()
        for member in ["retryAfter", "resetCode"] where given[member] != nil { line[member] = given[member] }
        line["inFlight"] = given["inFlight"] ?? 1
    }

    private func call(_ name: String, _ given: Object, _ line: inout Object, _ headers: inout [[String]]) throws {
        let call = try #require(BroadcastCall.allCases.first { $0.name == name })
        let channel = Array((given["channel"] as? String ?? "final").utf8).span
        var id: [UInt8] = []
        id.appendBase64Characters(channel)
        let text = String(decoding: id, as: UTF8.self)
        line["path"] = call == .publish ? "/4/broadcasts/apps/com.example.app" : "/1/apps/com.example.app/channels"
        line["method"] = ["create": "POST", "publish": "POST", "delete": "DELETE"][name] ?? "GET"
        (line["token"], line["apnsID"], line["call"], line["channel"]) = (NSNull(), NSNull(), name, text)
        if call == .publish, given["pushType"] == nil { line["pushType"] = "liveactivity" }
        let unsent = ["apns-topic", "apns-id"] + (call == .publish ? [] : ["apns-push-type"])
        headers.removeAll { unsent.contains($0[0]) }
        headers.append(["apns-channel-id", text])
        if given["payload"] == nil {
            let aps: Object = [
                "event": "update", "timestamp": LintRun.start.seconds, "content-state": ["n": sequence],
            ]
            line["payload"] = call == .publish ? ["aps": aps] as Object : NSNull()
            line["payloadBytes"] = call == .publish ? 90 : 0
        }
    }

    private mutating func authenticate(
        _ given: Object, _ line: inout Object, _ headers: inout [[String]], at time: Int64
    ) throws {
        let token = try number(given["providerToken"]) ?? 1
        let signed = try milliseconds(given["signed"] ?? "-1m")
        let connection = try #require(line["connection"] as? Int)
        if tokens[connection, default: []].contains(token) == false { tokens[connection, default: []].append(token) }
        headers.append(["authorization", "bearer header.claims\(token)"])
        line["providerTokenNumber"] = token
        line["authentication"] =
            [
                "method": "token", "keyID": given["keyID"] ?? "ABC123DEFG", "teamID": given["teamID"] ?? "DEF123GHIJ",
                "issuedAt": LintRun.start.seconds + signed / 1000, "verdict": "valid",
                "providerToken": try #require(tokens[connection]?.firstIndex(of: token)) + 1, "tokenNumber": token,
            ] as Object
    }

    /// A device token for a name.
    private static func token(_ name: String) -> String {
        let digits = name.utf8.map { String($0, radix: 16) }.joined()
        return String(String(repeating: digits, count: 64 / digits.count + 1).prefix(64))
    }
}
