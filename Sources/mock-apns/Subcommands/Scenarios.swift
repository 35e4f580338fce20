import ArgumentParser
import MockAPNS
import MockAPNSCore

struct Scenarios: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario",
        abstract: "Print a built-in scenario, or the schema of scenarios.",
        discussion: """
            Without a name, lists the built-in scenarios, each with the first sentence of its description. \
            serve --scenario and others take their names. The schema is for editors: it completes and checks scenarios \
            while you write them.

            Examples:
              mock-apns scenario tour > my-scenario.json
              mock-apns scenario --schema > scenario.schema.json
            """)

    @Flag(help: "Print the JSON Schema of scenarios.")
    var schema = false

    @Argument(help: ArgumentHelp("The name of a built-in scenario, such as tour.", valueName: "name"))
    var name: String?

    func validate() throws {
        if schema, name != nil { throw ValidationError("--schema prints the schema; leave out the name.") }
    }

    func run() throws {
        do {
            if schema {
                Self.print(BundledScenarios.schema)
            } else if let name {
                Self.print(try BundledScenarios.all.text(of: name))
            } else {
                for name in BundledScenarios.all.names { Messages.result(block: Self.listing(name)) }
            }
        } catch {
            throw Messages().exit(error)
        }
    }

    /// Prints a file as it is; it ends with a line end.
    private static func print(_ file: [UInt8]) {
        Messages.result(
            json: String(decoding: file.last == UInt8(ascii: "\n") ? file.dropLast() : file[...], as: UTF8.self))
    }

    private static func listing(_ name: String) -> String {
        guard let text = BundledScenarios.all.description(of: name).map(PrintableText.joined) else { return name }
        return "\(name)\n  \(text.firstSentence)"
    }
}

extension String {
    /// The text up to the first full stop that ends a sentence.
    var firstSentence: String { firstRange(of: ". ").map { String(self[..<$0.lowerBound]) + "." } ?? self }
}
