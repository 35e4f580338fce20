import ArgumentParser
import MockAPNS
import MockAPNSCore

/// Words on the command line that are neither options nor their values, of commands that take no others.
struct StrayWords {
    private let command: String
    private let arguments: [String]
    /// The option that such a word was probably meant for, and what it takes.
    private let meant: (option: String, what: String)
    private let options: CommandOptions

    private static let meanings: [String: (option: String, what: String)] = [
        "serve": ("--scenario", "a scenario"), "exec": ("--scenario", "a scenario"),
        "collect": ("--scenario", "a scenario"), "ready": ("--admin", "the address of a server"),
        "probe": ("--url", "the address of a server"), "certs": ("--certs", "the folder"),
        "token": ("--certs", "the folder"),
    ]

    /// - Parameter arguments: the command line, starting with the subcommand.
    /// - Returns: `nil` for a command that takes such words.
    init?(_ arguments: [String], of root: any ParsableCommand.Type) {
        guard let command = arguments.first, let meant = Self.meanings[command] else { return nil }
        (self.command, self.arguments, self.meant) = (command, arguments, meant)
        options = CommandOptions(of: command, root)
    }

    /// - Throws: `ValidationError` that says what a stray word was probably meant to be.
    func check() throws {
        var index = 1
        while index < arguments.count, arguments[index] != "--" {
            let word = arguments[index]
            if word == "-v" || word == "-V" { throw ValidationError(shortOption(word)) }
            guard word.hasPrefix("-"), word != "-" else { throw ValidationError(explanation(at: index)) }
            // The parser lists the options.
            guard options.contains(word) else { return }
            index += options.takesValue(word) ? 2 : 1
        }
    }

    private func shortOption(_ word: String) -> String {
        let verbose = ["serve", "exec", "collect"].contains(command) ? "--verbose prints more, " : ""
        return "\(word) is not an option; \(verbose)--version prints the version."
    }

    private func explanation(at index: Int) -> String {
        let word = arguments[index]
        if command == "exec", !isScenario(word) {
            let order = shown(arguments[..<index] + ["--"] + arguments[index...])
            return "The command to run comes after --, with all its words, as in: \(order)"
        }
        var rest = Array(arguments[(index + 1)...])
        if command == "exec", rest.first != "--" { rest = ["--"] + (rest.isEmpty ? ["npm", "test"] : rest) }
        let meant = special(word) ?? meant
        let order = shown(arguments[..<index] + [meant.option, word] + rest)
        return "\(command) takes \(meant.what) with \(meant.option), as in: \(order)"
    }

    /// The option that a word was meant for if the word itself says so.
    private func special(_ word: String) -> (option: String, what: String)? {
        switch command {
        case "serve" where UInt16(word) != nil: ("--port", "a port")
        case "collect" where UInt16(word) != nil: ("--admin-port", "a port")
        case "serve", "collect":
            word.hasPrefix("redis://") || word.hasPrefix("unix:") ? ("--fleet", "the engine of a fleet") : nil
        case "certs": CertificateKind(rawValue: word) == nil ? nil : ("--kind", "the kind of certificate")
        default: nil
        }
    }

    private func isScenario(_ word: String) -> Bool {
        !arguments.contains("--scenario") && (word.hasSuffix(".json") || BundledScenarios.all[word] != nil)
    }

    private func shown(_ words: ArraySlice<String>) -> String {
        (["mock-apns"] + words).map(\.quotedForShell).joined(separator: " ")
    }
}

extension String {
    /// The text as a word in a shell.
    fileprivate var quotedForShell: String {
        let plain =
            !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "+")...UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "_"),
                    UInt8(ascii: "%"):
                    true
                default: byte >= 0x80
                }
            }
        return plain
            ? self : "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
