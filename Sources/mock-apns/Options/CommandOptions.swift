import ArgumentParser

/// The options of a command, and which of them take a value.
struct CommandOptions {
    private let all: Set<Substring>
    private let valued: Set<Substring>

    /// Reads them from the help of a command; there are none if there is no such command.
    init(of command: String, _ root: any ParsableCommand.Type) {
        guard let type = root.configuration.subcommands.first(where: { $0._commandName == command }) else {
            (all, valued) = ([], [])
            return
        }
        let lines = root.helpMessage(for: type, columns: 200).split(separator: "\n").filter { $0.hasPrefix("  -") }
            .map { $0.split { $0 == " " || $0 == "," } }
        all = Set(lines.flatMap { $0.prefix { $0.hasPrefix("-") } })
        valued = Set(lines.filter { $0.count > 1 && $0[1].hasPrefix("<") }.map { $0[0] })
    }

    /// Returns whether a word is an option, possibly with its value as in `--port=0`.
    func contains(_ word: String) -> Bool { all.contains(word.prefix { $0 != "=" }) }

    /// Returns whether a word is an option whose value follows.
    func takesValue(_ word: String) -> Bool { valued.contains(word[...]) }

    /// Joins options with values that begin with a dash, as in `--log-limit=-1`. The argument parser would take such a
    /// value for an option, and miss one.
    ///
    /// - Parameter arguments: the command line, starting with the subcommand.
    static func joinDashedValues(in arguments: inout [String], of root: any ParsableCommand.Type) {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        guard let command = arguments.first, arguments[..<end].contains(where: isDashedValue) else { return }
        let options = CommandOptions(of: command, root)
        var joined: [String] = []
        for word in arguments[..<end] {
            if let option = joined.last, options.takesValue(option), isDashedValue(word) {
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
