#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options in the variable `MOCK_APNS_OPTIONS`: words between blanks; quotes, single or double, hold a word with
/// blanks together.
enum EnvironmentOptions {
    static let name = "MOCK_APNS_OPTIONS"

    static func read() -> [String]? {
        ProcessInfo.processInfo.environment[name].map(words(in:))
    }

    static func words(in text: String) -> [String] {
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
        if let word { words.append(word) }
        return words
    }
}
