import ArgumentParser

/// The options of a command that take a value.
struct ValuedOptions {
    private let names: Set<String>

    /// Reads them from the help of a command; there are none if there is no such command.
    init(of command: String, _ root: any ParsableCommand.Type) {
        guard let type = root.configuration.subcommands.first(where: { $0._commandName == command }) else {
            names = []
            return
        }
        let lines = root.helpMessage(for: type, columns: 200).split(separator: "\n").filter { $0.hasPrefix("  -") }
        names = Set(
            lines.compactMap { line in
                let words = line.split(separator: " ")
                return words.count > 1 && words[1].hasPrefix("<") ? String(words[0]) : nil
            })
    }

    /// Returns whether a word is one of these options, without its value.
    func contains(_ word: String) -> Bool { names.contains(word) }

    /// Joins options with values that begin with a dash, as in `--log-limit=-1`. The argument parser would take such a
    /// value for an option, and miss one.
    ///
    /// - Parameter arguments: the command line, starting with the subcommand.
    static func joinDashedValues(in arguments: inout [String], of root: any ParsableCommand.Type) {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        guard let command = arguments.first, arguments[..<end].contains(where: isDashedValue) else { return }
        let options = ValuedOptions(of: command, root)
        var joined: [String] = []
        for word in arguments[..<end] {
            if let option = joined.last, options.contains(option), isDashedValue(word) {
                joined[joined.count - 1] = "\(option)=\(word)"
            } else {
                joined.append(word)
            }
        }
        arguments.replaceSubrange(..<end, with: joined)
    }

    /// Whether a word after such an option can be its value only: all other options but `-h` begin with two dashes.
    private static func isDashedValue(_ word: String) -> Bool {
        word.hasPrefix("-") && !word.hasPrefix("--") && word != "-" && word != "-h"
    }
}
