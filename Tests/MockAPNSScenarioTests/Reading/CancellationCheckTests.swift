import MockAPNSCore
import Synchronization
import Testing

@testable import MockAPNSJSON
@testable import MockAPNSScenario

/// Reading that is stopped, since its result is no longer wanted.
@Suite struct CancellationCheckTests {
    /// Stops a reading when it asks for that time.
    private final class Stopper: Sendable {
        private let asked = Atomic(0)
        private let limit: Int

        init(at limit: Int) { self.limit = limit }

        var count: Int { asked.load(ordering: .relaxed) }
        var stop: CancellationCheck {
            CancellationCheck { [self] in asked.wrappingAdd(1, ordering: .relaxed).newValue >= limit }
        }
    }

    private static let element = #"{"token": "\u0061\u0062"}"#

    private static func list(_ key: String, of element: String, count: Int = 20_000) -> [UInt8] {
        Array(#"{"\#(key)": ["#.utf8) + Array(Array(repeating: element, count: count).joined(separator: ",").utf8)
            + Array("]}".utf8)
    }

    @Test(arguments: [
        list("rules", of: "1"), list("rules", of: "{}"), list("rules", of: element),
        Array("\"".utf8) + Array(Array(repeating: "\\n", count: 20_000).joined().utf8) + Array("\"".utf8),
    ])
    func aTextIsNotReadToItsEnd(text: [UInt8]) throws {
        let stopper = Stopper(at: 3)
        let mistake = #expect(throws: JSONText.Mistake.self) { try JSONText.read(text, stop: stopper.stop) }
        #expect(stopper.count == 3)
        #expect(try #require(mistake).offset < text.count / 4)
    }

    private static let rules = list(
        "rules", of: #"{"when": {"topic": "a.b"}, "then": {"pass": true}, "times": 1}"#, count: 3000)

    @Test(arguments: [1, 2, 3, 5, 10]) func aScenarioIsNotReadToItsEnd(limit: Int) throws {
        let stopper = Stopper(at: limit)
        let (scenario, mistakes) = Scenario.read(try JSONText.read(Self.rules), stop: stopper.stop)
        #expect(scenario == nil && mistakes.isEmpty)
        #expect(stopper.count == limit)
        #expect(Scenario.read(Self.rules, stop: Stopper(at: limit).stop).0 == nil)
    }

    @Test func whatIsNotStoppedIsRead() throws {
        let stopper = Stopper(at: .max)
        let (scenario, mistakes) = Scenario.read(Self.rules, stop: stopper.stop)
        #expect(scenario?.rules.count == 3000, "\(mistakes.prefix(3))")
        #expect(stopper.count > 10)
    }

    @Test func nothingMoreIsReadAfterAHundredMistakes() throws {
        let stopper = Stopper(at: .max)
        let value = try JSONText.read(Self.list("rules", of: "{}", count: 100_000))
        let (_, mistakes) = Scenario.read(value, stop: stopper.stop)
        #expect(mistakes.count == 101)
        // All names are looked at first, one by one; of the rules themselves only the first hundred.
        #expect(stopper.count < 110)
    }
}
