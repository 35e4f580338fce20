import Foundation
import Testing

@testable import MockAPNSCore

/// The table of the calls is the only place where their paths stand.
@Suite struct APICallTests {
    @Test func noTwoCallsAreTheSame() {
        #expect(Set(APICall.allCases.map(\.description)).count == APICall.allCases.count)
    }

    @Test func pathsFillInTheirVariables() {
        #expect(APICall.isReady.path == "/readyz")
        #expect(APICall.getDevice.path == "/api/v1/devices/{device}")
        #expect(APICall.dismissNotification.variables == ["device", "sequence"])
        #expect(APICall.dismissNotification.path(["a%2Fb", "3"]) == "/api/v1/devices/a%2Fb/displayed/3")
        #expect(APICall.closeConnections.description == "POST /api/v1/connections/{id}/close")
    }

    @Test func sessionsHaveTheSameCallsBelowTheirPath() {
        let session = APICall.getSession.path(["one"])
        #expect(APICall.path(APICall.lint.path, below: session) == "/api/v1/sessions/one/lint")
        #expect(APICall.path(APICall.lint.path, below: "") == "/api/v1/lint")
        #expect(APICall.path(APICall.isReady.path, below: session) == "/readyz")
    }

    @Test func noOtherSourceContainsAPIPaths() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        // Below .build/mutants it is a link.
        let sources = URL(fileURLWithPath: "\(root)/Sources").resolvingSymlinksInPath().path
        let files = try #require(FileManager.default.enumerator(atPath: sources))
        var read = 0
        for case let name as String in files where name.hasSuffix(".swift") && !name.hasSuffix("/API/APICall.swift") {
            let text = try String(contentsOfFile: "\(sources)/\(name)", encoding: .utf8)
            read += 1
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                if let found = Self.path(in: line) { Issue.record("\(name):\(index + 1) has \(found): \(line)") }
            }
        }
        #expect(read > 600)
    }

    /// It compares calls, never words of their paths.
    @Test func aFleetComparesNoPartOfAPath() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        let files = try #require(FileManager.default.enumerator(atPath: "\(root)/Sources/MockAPNSFleet"))
        let words = Set(APICall.allCases.filter(\.isOfAPI).map { $0.path.split(separator: "/")[2] })
        #expect(words.contains("scenario") && words.contains("devices"))
        for case let name as String in files where name.hasSuffix(".swift") {
            let text = try String(contentsOfFile: "\(root)/Sources/MockAPNSFleet/\(name)", encoding: .utf8)
            for match in text.matches(of: #/(?:==|case) "([^"]*)"/#) {
                #expect(!words.contains(match.1), "\(name): \(match.0)")
            }
        }
    }

    @Test(arguments: [
        #"router.get("clock/advance")"#, #"ask("/api/v1/scenario")"#, #"path.hasPrefix("/api/v1/sessions/")"#,
        #"    "ask GET /livez.""#, #"group.delete("devices/{device}")"#, #"group.post("connections/:id/close")"#,
        #"group("api/v1")"#, "    Send POST /api/v1/reset to start over.",
    ])
    func aPathInASourceIsFound(_ line: String) { #expect(Self.path(in: line[...]) != nil) }

    @Test(arguments: [
        "    /// Returns the answer of `GET /api/v1/fleet`.", #"let reset = "reset""#, #"report(at: "/aps/alert")"#,
        #""\(APICall.reset) starts everything over""#, #"json["devices"]"#,
    ])
    func otherTextIsNotTakenForAPath(_ line: String) { #expect(Self.path(in: line[...]) == nil) }

    /// The paths as text may have them: what all begin with, and those with several parts below that.
    private static let paths: [String] = {
        var paths = ["api/v1"]
        for call in APICall.allCases {
            guard call.isOfAPI else {
                paths.append(call.path)
                continue
            }
            let below = String(call.path.dropFirst(APICall.base.count))
            guard below.contains("/") else { continue }
            paths.append("\"" + below)
            paths.append("\"" + below.replacing("{", with: ":").replacing("}", with: ""))
        }
        return paths
    }()

    /// Returns a path in a line of code; documentation comments may have some.
    private static func path(in line: Substring) -> String? {
        guard line.utf8.contains(UInt8(ascii: "/")), !line.drop(while: { $0 == " " }).hasPrefix("//") else {
            return nil
        }
        return paths.first { line.contains($0) }
    }
}
