// Swift Testing with an installed mock-apns: copy this file into your test target. It needs Foundation alone.

import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A mock APNs server as one test sees it: a session of the server that all tests of the process share.
///
/// The first test starts the command `mock-apns`, which is on the PATH or named by the variable `MOCK_APNS_EXECUTABLE`. It
/// ends with the process, however that ends. If the variable `MOCK_APNS_ADMIN_URL` is set, the server there is used.
struct MockAPNS: Sendable {
    /// Everything that a provider needs, with the names of the call `GET /api/v1/identity` of the admin API.
    let identity: JSON
    /// The address to push to, such as `https://127.0.0.1:40123`.
    var url: String { identity["apns"].text }
    /// The certificate of the authority to trust, as PEM.
    var certificateAuthority: String { identity["certificateAuthority"].text }
    /// The key to sign provider tokens with, as PEM: what a `.p8` file of Apple's holds.
    var signingKey: String { identity["signingKey"].text }
    var keyID: String { identity["keyID"].text }
    var teamID: String { identity["teamID"].text }
    var topic: String { identity["topic"].text }

    /// The session of the running test, which needs the trait `.mockAPNS(…)`.
    static var current: MockAPNS {
        get throws {
            if let session { return session }
            throw Failure(description: "There is no session in this task: give the test the trait .mockAPNS().")
        }
    }
    @TaskLocal fileprivate static var session: MockAPNS?

    /// Opens a session, where there is no trait: in `setUp` of XCTest.
    static func open(_ scenario: JSON = [:]) async throws -> MockAPNS {
        let api = try Server.started.get().admin + "/api/v1"
        var scenario = scenario
        if case .string(let text) = scenario {
            let isName = !text.contains("{")
            scenario = try await isName ? Server.call("GET", "\(api)/scenarios/\(text)") : JSON(parsing: text)
        }
        return try await MockAPNS(identity: Server.call("POST", "\(api)/sessions", ["scenario": scenario]))
    }

    /// Ends the session, in `tearDown` of XCTest. Throws the report unless all came as the scenario expects.
    func close(isJudged: Bool = true) async throws {
        let verdict = try await call("DELETE", "?judge=\(isJudged)")
        if isJudged, verdict["passed"] != true { throw Failure(description: verdict["report"].text) }
    }

    /// Waits for requests that match, up to 5 seconds, and returns them. If there are fewer than `count` by then, it throws a
    /// report on what came instead, with the line of the call.
    @discardableResult
    func wait(
        count: Int = 1, matching match: JSON = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [JSON] {
        let count = JSON.number(Double(count))
        let answer = try await call("POST", "/requests/wait", ["requests": match, "count": count])
        if answer["nearMisses"] == .null { return answer["requests"].elements }
        let expect: JSON = [["requests": match, "count": ["atLeast": count]]]
        let report = try await call("POST", "/verify", ["expect": expect])["report"].text
        throw Failure(description: "\(sourceLocation.fileName):\(sourceLocation.line): \(report)")
    }

    /// The requests that match, oldest first; at most 1000.
    func requests(matching match: JSON = [:]) async throws -> [JSON] {
        try await call("POST", "/requests/find", ["requests": match, "limit": 1000])["requests"].elements
    }

    /// The devices, each with what it displays; at most 1000.
    func devices() async throws -> [JSON] { try await call("GET", "/devices?limit=1000")["devices"].elements }

    /// Adds a rule before all others, written as in a scenario.
    func addRule(_ rule: JSON) async throws { _ = try await call("POST", "/rules", rule) }

    /// Moves a manual clock. Everything due by then happens before it returns.
    func advance(by time: Duration) async throws {
        _ = try await call("POST", "/clock/advance", ["by": "\(Int(time / .milliseconds(1)))ms"])
    }

    /// Makes any call of the admin API for this session: `call("PATCH", "/devices/alice", ["online": false])`.
    func call(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> JSON {
        try await Server.call(method, identity["admin"].text + path, body)
    }

    /// Writes a member of ``identity`` to a file that goes with the process, and returns its path.
    func file(_ member: String) throws -> String {
        let path = try "\(Server.started.get().folder)/\(UUID().uuidString)"
        guard case .string(let text) = identity[member] else {
            throw Failure(description: "The identity has no text \(member).")
        }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// What went wrong, as a sentence or a report.
    struct Failure: Error, CustomStringConvertible { let description: String }
}

/// Gives a test a session, or each test of a suite. The test fails with a report unless all comes as its scenario expects. An
/// error of its own is shown as well.
struct MockAPNSTrait: TestTrait, SuiteTrait, TestScoping {
    let scenario: MockAPNS.JSON
    let sourceLocation: SourceLocation
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let apns = try await MockAPNS.open(scenario)
        let result: Result<Void, any Error>
        do {
            result = .success(try await MockAPNS.$session.withValue(apns, operation: function))
        } catch {
            result = .failure(error)
        }
        // What a cancelled test expects does not count, but its session has to end.
        let isJudged = !Task.isCancelled
        do {
            try await Task { try await apns.close(isJudged: isJudged) }.value
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
        try result.get()
    }
}

extension Trait where Self == MockAPNSTrait {
    /// Gives the test a session that plays a scenario: a literal, a text of JSON or the name of a built-in one.
    static func mockAPNS(_ scenario: MockAPNS.JSON = [:], sourceLocation: SourceLocation = #_sourceLocation) -> Self {
        Self(scenario: scenario, sourceLocation: sourceLocation)
    }
}

private enum Server {
    /// Makes a folder and starts a server. Both this process and the server hold the other end of the standard input: when
    /// they have ended, however that was, the folder is removed.
    static let script = """
        [ "$MOCK_APNS_ADMIN_URL" ] || command -v "$0" >/dev/null || exit
        folder=$(mktemp -d "${TMPDIR:-/tmp}/mock-apns-XXXXXX" 2>&1)
        echo "$folder"
        exec 3<&0
        (trap '' HUP INT TERM; read -r _ <&3; rm -rf "$folder") >/dev/null 2>&1 &
        [ "$MOCK_APNS_ADMIN_URL" ] || exec "$0" serve --exit-with-parent --quiet --port 0 --admin-port 0 \\
            --certs "$folder" 3>&2 2>"$folder/stderr.txt" </dev/null
        """
    static let environment = ProcessInfo.processInfo.environment
    static let (life, output) = (Pipe(), Pipe())
    static let started = Result { try start() }

    static func start() throws -> (folder: String, admin: String) {
        let (process, command) = (Process(), environment["MOCK_APNS_EXECUTABLE"] ?? "mock-apns")
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, command]
        (process.standardInput, process.standardOutput) = (life.fileHandleForReading, output)
        process.standardError = life.fileHandleForWriting
        // A process that a test starts must not hold that end, too.
        _ = fcntl(life.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try process.run()
        var said = Data()
        // The folder and, on a second line, what a server says when it is ready.
        while said.count(where: { $0 == 10 }) < 2 {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            said += more
        }
        let lines = String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init)
        guard let folder = lines.first else {
            let advice = "install it (article Installing), or set MOCK_APNS_EXECUTABLE to its path"
            throw MockAPNS.Failure(description: "The command \(command) is not on the PATH: \(advice).")
        }
        if let admin = environment["MOCK_APNS_ADMIN_URL"], admin != "" { return (folder, admin) }
        if let ready = try? MockAPNS.JSON(parsing: lines.last!) { return (folder, ready["admin"].text) }
        // Without a folder, the line says why.
        let errors = (try? String(contentsOfFile: "\(folder)/stderr.txt", encoding: .utf8)) ?? folder
        let words = ([errors] + lines.dropFirst()).joined()
        throw MockAPNS.Failure(description: "\(command) did not start: \(words == "" ? "it said nothing." : words)")
    }

    static func call(_ method: String, _ url: String, _ body: MockAPNS.JSON? = nil) async throws -> MockAPNS.JSON {
        var request = URLRequest(url: URL(string: url) ?? URL(fileURLWithPath: url))
        request.httpMethod = method
        // A wait takes up to ten minutes.
        request.timeoutInterval = 660
        request.httpBody = try body.map { try JSONEncoder().encode($0) }
        let token = environment["MOCK_APNS_ADMIN_TOKEN"]
        request.setValue(token.map { "Bearer \($0)" }, forHTTPHeaderField: "authorization")
        let answer: MockAPNS.JSON
        do {
            answer = try await JSONDecoder().decode(MockAPNS.JSON.self, from: URLSession.shared.data(for: request).0)
        } catch {
            throw MockAPNS.Failure(description: "\(method) \(url): \(error.localizedDescription)")
        }
        if answer["error"] == .null { return answer }
        throw MockAPNS.Failure(description: "\(method) \(url): \(answer["error"]["message"].text)")
    }
}

extension MockAPNS {
    /// A value of JSON, written as a literal: `["when": ["pushType": "alert"], "times": 2]`.
    enum JSON: Codable, Hashable, Sendable, CustomStringConvertible {
        case null
        case bool(Bool)
        case number(Double)
        case string(String)
        case array([JSON])
        case object([String: JSON])

        /// A member of an object, or `null`.
        subscript(name: String) -> JSON {
            if case .object(let members) = self { members[name] ?? .null } else { .null }
        }
        /// An element of an array, or `null`.
        subscript(index: Int) -> JSON { elements.indices.contains(index) ? elements[index] : .null }
        /// The elements of an array, or none.
        var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
        /// The text of a string, or an empty one.
        var text: String { if case .string(let text) = self { text } else { "" } }
        var description: String { (try? String(decoding: JSONEncoder().encode(self), as: UTF8.self)) ?? "" }

        init(parsing text: String) throws { self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) }

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            self =
                try (try? .string(value.decode(String.self))) ?? (try? .bool(value.decode(Bool.self)))
                ?? (try? .number(value.decode(Double.self))) ?? (try? .array(value.decode([JSON].self)))
                ?? (value.decodeNil() ? .null : .object(value.decode([String: JSON].self)))
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .null: try String?.none.encode(to: encoder)
            case .bool(let bool): try bool.encode(to: encoder)
            case .number(let number): try number.encode(to: encoder)
            case .string(let text): try text.encode(to: encoder)
            case .array(let elements): try elements.encode(to: encoder)
            case .object(let members): try members.encode(to: encoder)
            }
        }
    }
}

extension MockAPNS.JSON: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral text: String) { self = .string(text) }
    init(integerLiteral number: Int) { self = .number(Double(number)) }
    init(floatLiteral number: Double) { self = .number(number) }
    init(booleanLiteral bool: Bool) { self = .bool(bool) }
    init(arrayLiteral elements: MockAPNS.JSON...) { self = .array(elements) }
    init(dictionaryLiteral members: (String, MockAPNS.JSON)...) { self = .object(Dictionary(members) { $1 }) }
}
