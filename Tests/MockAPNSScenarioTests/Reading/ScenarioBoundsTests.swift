import Testing

@testable import MockAPNSCore
@testable import MockAPNSJSON
@testable import MockAPNSScenario

/// A scenario with more mistakes, or more of anything, than any can need costs neither time nor memory.
@Suite struct ScenarioBoundsTests {
    private func mistakes(_ text: String) -> [ScenarioMistake] { Scenario.read(Array(text.utf8)).1 }

    @Test func readingStopsAtAHundredMistakes() {
        let many = mistakes(
            #"{"rules": [\#(Array(repeating: "1", count: 100_000).joined(separator: ","))], "seed": -1}"#)
        #expect(many.count == 101)
        #expect(many.last?.message == "… and more; only the first 100 mistakes are listed")
        #expect(many.dropLast().allSatisfy { $0.message.hasPrefix("rules[") || $0.message.hasPrefix("seed") })
        #expect(many.map(\.offset) == many.map(\.offset).sorted())
        let lines = ScenarioMistake.lines(many, file: "a.json", Array(repeating: 32, count: 300_000))
        #expect(lines.last?.hasSuffix("… and more; only the first 100 mistakes are listed") == true)
    }

    @Test func exactlyAHundredMistakesAreAllListed() {
        let all = mistakes(#"{"rules": [\#(Array(repeating: "1", count: 100).joined(separator: ","))]}"#)
        #expect(all.count == 100)
        #expect(all.allSatisfy { $0.message.hasPrefix("rules[") })
    }

    @Test func mistakesDoNotRepeatALongKey() {
        let key = String(repeating: "k", count: 1 << 20)
        let many = mistakes(
            #"{"rules": [{"when": {"header": {"\#(key)": {\#((0..<200).map { "\"a\($0)\": 1" }.joined(separator: ","))}}}}]}"#
        )
        #expect(!many.isEmpty)
        #expect(many.allSatisfy { $0.message.utf8.count < 2000 && $0.pointer.utf8.count < 2000 })
        #expect(mistakes(#"{"\#(key)": 1, "\#(key)": 2}"#).allSatisfy { $0.message.utf8.count < 2000 })
    }

    @Test func signingKeysAreBounded() {
        let keys = (0...1000).map { #"{"keyID": "K\#($0)"}"# }.joined(separator: ",")
        let found = mistakes(#"{"authentication": {"teams": [{"teamID": "T", "keys": [\#(keys)]}]}}"#)
        #expect(
            found.map(\.message) == [
                "authentication.teams[0].keys[1000] is one too many; expected at most 1000 keys in all"
            ])
    }

    @Test func valuesOfATextAreBounded() {
        func read(_ text: String) throws {
            var reader = JSONReader(Array(text.utf8), .strict, maximumValues: 5)
            _ = try reader.document()
        }
        #expect(throws: Never.self) { try read("[1,1,1,1]") }
        #expect(throws: Never.self) { try read(#"{"a":1,"b":1}"#) }
        #expect(throws: JSONText.Mistake.self) { try read("[1,1,1,1,1]") }
        #expect(throws: JSONText.Mistake.self) { try read(#"{"a":1,"b":1,"c":1}"#) }
    }
}
