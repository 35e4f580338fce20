import MockAPNSCore
import Testing

@testable import MockAPNSScenario

@Suite("Mutated scenarios")
struct ScenarioMutationTests {
    @Test("No mutation crashes the reader; every mistake lies in the file", arguments: 0..<200)
    func mutated(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let files = scenarioFiles("good")
        var root = try JSONText.read(scenarioBytes(files[Int(seed) % files.count]))
        for _ in 0...(seed % 3) { root = mutate(root, &random) }
        let bytes = Array(text(root).utf8)
        let (scenario, mistakes) = Scenario.read(bytes)
        #expect((scenario == nil) == !mistakes.isEmpty)
        for mistake in mistakes {
            #expect(0...bytes.count ~= mistake.offset)
            #expect(!mistake.message.isEmpty && !mistake.message.contains("\n"))
            #expect(JSONPointer(mistake.pointer) != nil)
        }
        #expect(ScenarioMistake.lines(mistakes, file: "f", bytes).count == mistakes.count)
        #expect(mistakes.map(\.offset) == mistakes.map(\.offset).sorted())
    }

    @Test("No text crashes the reader", arguments: 0..<200)
    func cut(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let files = scenarioFiles("good")
        var bytes = try scenarioBytes(files[Int(seed) % files.count])
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        bytes.removeLast(Int.random(in: 0...min(bytes.count, 3), using: &random))
        let (_, mistakes) = Scenario.read(bytes)
        for mistake in mistakes { #expect(0...bytes.count ~= mistake.offset) }
    }

    private static let values = [
        "null", "true", "0", "1", "-1", "7", "0.5", "1e300", #""""#, #""x""#, #""5s""#, #""now""#, #""alert""#,
        #""push""#, #""ping""#, "[]", "{}", "[[]]", #"{"exists":true}"#, #"{"atLeast":3,"atMost":1}"#,
        #"{"matches":"(a+)+"}"#, #"{"oneOf":[]}"#, #""TooManyRequests""#, #"{"not":{"not":{}}}"#,
    ]

    /// The value with one change somewhere: a key renamed, a value replaced, wrapped, doubled or removed.
    private func mutate(_ value: JSONText.Value, _ random: inout SeededRandom) -> JSONText.Value {
        var value = value
        let goesDeeper = Int.random(in: 0..<5, using: &random) > 0
        switch value.content {
        case .object(var members) where !members.isEmpty:
            let index = Int.random(in: 0..<members.count, using: &random)
            if goesDeeper {
                members[index].value = mutate(members[index].value, &random)
            } else {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: members[index].key += "x"
                case 1: members.remove(at: index)
                case 2: members[index].value = replacement(&random)
                default: members[index].key.removeLast(members[index].key.isEmpty ? 0 : 1)
                }
            }
            value.content = .object(members)
        case .array(var elements) where !elements.isEmpty:
            let index = Int.random(in: 0..<elements.count, using: &random)
            if goesDeeper {
                elements[index] = mutate(elements[index], &random)
            } else if Bool.random(using: &random) {
                elements.insert(elements[index], at: index)
            } else {
                elements.remove(at: index)
            }
            value.content = .array(elements)
        default:
            value = Bool.random(using: &random) ? replacement(&random) : .init(offset: 0, content: .array([value]))
        }
        return value
    }

    private func replacement(_ random: inout SeededRandom) -> JSONText.Value {
        let text = Self.values[Int.random(in: 0..<Self.values.count, using: &random)]
        return (try? JSONText.read(Array(text.utf8))) ?? .init(offset: 0, content: .null)
    }

    private func text(_ value: JSONText.Value) -> String {
        switch value.content {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .number(let number): number.text
        case .string(let text): quoted(text)
        case .array(let elements): "[\(elements.map(text).joined(separator: ",\n"))]"
        case .object(let members):
            "{\(members.map { "\(quoted($0.key)): \(text($0.value))" }.joined(separator: ",\n"))}"
        }
    }

    private func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
    }
}
