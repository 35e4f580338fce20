import ArgumentParser
import MockAPNSCore

/// Finds incorrect usage that the argument parser does not explain well enough.
enum Usage {
    /// Returns the arguments with other ways to ask for the version replaced by `--version`.
    static func withKnownVersion(_ arguments: [String]) -> [String] {
        ["version", "-v", "-V"].contains(arguments.first) && arguments.count == 1 ? ["--version"] : arguments
    }

    /// Checks the command line before it is parsed.
    ///
    /// - Throws: `ValidationError` for a misspelled command, an option before the command, or a second scenario.
    static func check(_ arguments: [String], of command: any ParsableCommand.Type) throws {
        guard let first = arguments.first else { return }
        let commands = command.configuration.subcommands
        let names = commands.map { $0._commandName }
        if names.contains(first) {
            if ["serve", "exec"].contains(first) { try checkScenario(arguments) }
        } else if first.hasPrefix("-") {
            try checkOption(arguments, commands, of: command)
        } else if first != "help" {
            let hint = nearestWord(to: first, among: names).map { "did you mean \"\($0)\"?" }
            throw ValidationError(
                "Unknown command \"\(first)\"; \(hint ?? "the commands are \(names.joined(separator: ", ")).")")
        }
    }

    /// Checks for an option before the command.
    private static func checkOption(
        _ arguments: [String], _ commands: [any ParsableCommand.Type], of command: any ParsableCommand.Type
    ) throws {
        let option = String(arguments[0].prefix { $0 != "=" })
        guard option.count > 2, option.hasPrefix("--"), !["--help", "--version"].contains(option) else { return }
        let owners = commands.filter { own in
            command.helpMessage(for: own, columns: 200).split(separator: "\n").contains { line in
                line.drop { $0 == " " }.split(separator: " ").first { $0.hasPrefix("--") }.map(String.init) == option
                    && line.hasPrefix("  -")
            }
        }.map { $0._commandName }
        // The command may come later.
        let given = arguments.firstIndex { owners.contains($0) }
        guard let owner = given.map({ arguments[$0] }) ?? owners.first else { return }
        var others = arguments
        if let given { others.remove(at: given) }
        let list = owners.count == 1 ? owner : owners.dropLast().joined(separator: ", ") + " and \(owners.last ?? "")"
        throw ValidationError(
            "\(option) is an option of \(list); the command comes first, as in: mock-apns \(owner) \(others.joined(separator: " "))"
        )
    }

    private static func checkScenario(_ arguments: [String]) throws {
        let count = arguments.prefix { $0 != "--" }.count { $0 == "--scenario" || $0.hasPrefix("--scenario=") }
        if count > 1 { throw ValidationError("--scenario is given \(count) times; a server plays one scenario.") }
    }
}
