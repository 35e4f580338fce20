import ArgumentParser
import MockAPNSTransport

// The arguments as they were given: the argument parser takes strings, which cannot hold all that a file name or an
// argument of a wrapped command may be.

/// The arguments of this process.
enum GivenWords {
    /// Returns the arguments as text, without the name of the program.
    ///
    /// - Throws: `ValidationError` if one that is not for a wrapped command is not UTF-8.
    static func text() throws -> [String] {
        let given = ProcessStart.arguments
        // Words after -- are for another program.
        let hasCommand = ["exec", "suite"].map { Array($0.utf8) }.contains(given.dropFirst().first)
        var isForCommand = false
        for (index, word) in given.enumerated().dropFirst() {
            if isForCommand || String(validating: word, as: UTF8.self) != nil {
                isForCommand = isForCommand || hasCommand && word == Array("--".utf8)
                continue
            }
            throw ValidationError(
                "Argument \(index) is not UTF-8: \"\(String(showing: word))\"; rename the file, or name it through a link whose name is UTF-8."
            )
        }
        return given.dropFirst().map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the last arguments as they were given, if this is their text; otherwise the bytes of the text.
    static func bytes(of words: [String]) -> [[UInt8]] {
        let given = ProcessStart.arguments.suffix(words.count)
        guard given.map({ String(decoding: $0, as: UTF8.self) }) == words else { return words.map { Array($0.utf8) } }
        return Array(given)
    }
}

extension String {
    /// Creates text for people of bytes; those that are not UTF-8 look like `\xFF`.
    init(showing bytes: [UInt8]) {
        self = ""
        var rest = bytes[...]
        while let first = rest.first {
            let length = (1...min(4, rest.count)).first { String(validating: rest.prefix($0), as: UTF8.self) != nil }
            let digits = String(first, radix: 16, uppercase: true)
            self += length.map { String(decoding: rest.prefix($0), as: UTF8.self) } ?? "\\x\(digits)"
            rest = rest.dropFirst(length ?? 1)
        }
    }
}
