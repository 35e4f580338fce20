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

    /// The text of a scenario; `nil` if there is none of that name.
    package subscript(name: String) -> [UInt8]? { texts[name] }

    /// What a scenario is about, in its own words.
    func description(of name: String) -> String? { descriptions[name] }
}
