import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options in the variable `MOCK_APNS_OPTIONS`: words separated by blanks; single or double quotes enclose a word
/// that contains blanks.
enum EnvironmentOptions {
    static let name = "MOCK_APNS_OPTIONS"

    /// Returns the value of the variable; `nil` if it is empty or the subcommand does not read it.
    static func text(for subcommand: String?) -> String? {
        guard subcommand == "serve" || subcommand == "exec" else { return nil }
        let text = ProcessInfo.processInfo.environment[name]
        return text?.isEmpty == false ? text : nil
    }

    /// Inserts the options of the variable before those of the command line, which win because they come later.
    ///
    /// - Parameter arguments: the command line, starting with the subcommand.
    /// - Throws: `ValidationError` if the variable contains anything other than options.
    static func insert(into arguments: inout [String]) throws {
        guard let text = text(for: arguments.first) else { return }
        var options = try words(in: text)
        if options.contains("--") {
            throw ValidationError("\(name) is \"\(text)\"; it holds options, not the command that comes after --.")
        }
        // These two contradict each other, so a later one does not simply win.
        let loudness = ["--verbose", "--quiet"]
        let ownOptions = arguments.prefix { $0 != "--" }
        if loudness.contains(where: ownOptions.contains) { options.removeAll { loudness.contains($0) } }
        // A second scenario on one command line is a mistake, but here too the later one wins.
        if ownOptions.contains(where: isScenario) { removeScenario(from: &options) }
        arguments.insert(contentsOf: options, at: 1)
    }

    private static func isScenario(_ word: String) -> Bool { word == "--scenario" || word.hasPrefix("--scenario=") }

    private static func removeScenario(from options: inout [String]) {
        while let start = options.firstIndex(where: isScenario) {
            let end = options[start] == "--scenario" ? min(start + 2, options.count) : start + 1
            options.removeSubrange(start..<end)
        }
    }

    static func words(in text: String) throws -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in text {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if quote == nil, character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let quote { throw ValidationError("\(name) is \"\(text)\"; a quote (\(quote)) in it is not closed.") }
        if let word { words.append(word) }
        return words
    }
}
