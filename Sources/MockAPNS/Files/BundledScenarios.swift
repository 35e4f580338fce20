import CMockScenarios
import MockAPNSCore

/// The scenarios that are built in: those of the folder `scenarios`.
package struct BundledScenarios: Sendable {
    /// All of them, read once.
    package static let all = BundledScenarios()

    /// Their names, in alphabetical order.
    package let names: [String]
    private let texts: [String: [UInt8]]
    private let descriptions: [String: String]

    private init() {
        var texts: [String: [UInt8]] = [:]
        var descriptions: [String: String] = [:]
        for file in 0..<mock_scenario_count() {
            let text = (0..<mock_scenario_length(file)).map { mock_scenario_byte(file, $0) }
            // A test holds that each has the name of its file.
            guard let scenario = try? JSONText.read(text), let name = scenario["name"]?.string else { continue }
            texts[name] = text
            descriptions[name] = scenario["description"]?.string
        }
        names = texts.keys.sorted()
        self.texts = texts
        self.descriptions = descriptions
    }

    /// The JSON Schema of scenarios.
    package static var schema: [UInt8] { (0..<mock_schema_length()).map { mock_schema_byte($0) } }

    /// The text of a scenario; `nil` if there is none of that name.
    package subscript(name: String) -> [UInt8]? { texts[name] }

    /// The text of a scenario.
    ///
    /// - Throws: ``MockAPNSWords/StartError/unavailable(_:)`` if there is none of that name; it names others.
    package func text(of name: String) throws(StartError) -> [UInt8] {
        guard let text = texts[name] else { throw .unavailable(MissingFile.sentence(scenario: name)) }
        return text
    }

    /// Returns a scenario's own description.
    package func description(of name: String) -> String? { descriptions[name] }
}
