import CMockScenarios
import MockAPNSCore

/// The scenarios that the executable brings with it: those of the folder `scenarios`.
struct BundledScenarios {
    /// Their names, in alphabetical order.
    let names: [String]
    private let texts: [String: [UInt8]]

    init() {
        var texts: [String: [UInt8]] = [:]
        for file in 0..<mock_scenario_count() {
            let text = (0..<mock_scenario_length(file)).map { mock_scenario_byte(file, $0) }
            // A test holds that each has the name of its file.
            if let name = (try? JSONText.read(text))?["name"]?.string { texts[name] = text }
        }
        names = texts.keys.sorted()
        self.texts = texts
    }

    /// The text of a scenario; `nil` if there is none of that name.
    subscript(name: String) -> [UInt8]? { texts[name] }
}
