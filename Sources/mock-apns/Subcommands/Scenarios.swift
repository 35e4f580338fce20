import ArgumentParser
import MockAPNS
import MockAPNSCore
import SystemPackage

struct Scenarios: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario",
        abstract: "Print a built-in scenario, one made from a log, or the schema of scenarios.",
        discussion: """
            Without a name, lists the built-in scenarios, each with the first sentence of its description. \
            serve --scenario and others take their names. The schema is for editors: it completes and checks scenarios \
            while you write them.

            --from-log makes a scenario of the last run in a file that --log wrote. Whoever plays it and sends the \
            pushes of its workload gets the same answers again: devices are declared as their answers show them, and \
            rules give the failures that nothing else explains, in the order in which they came. What no scenario can \
            repeat is told on standard error.

            Examples:
              mock-apns scenario tour > my-scenario.json
              mock-apns scenario --from-log run.jsonl -o yesterday.json
              mock-apns scenario --schema > scenario.schema.json
            """)

    @Flag(help: "Print the JSON Schema of scenarios.")
    var schema = false

    @Option(
        help: ArgumentHelp(
            "Make a scenario from this log of serve, exec or collect; - for standard input.", valueName: "file"),
        transform: NonemptyOption.read)
    var fromLog: String?

    @Option(
        help: ArgumentHelp(
            "With --from-log: the run of this session. (default: that of the server itself)", valueName: "name"))
    var session: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Write to this file. (default: standard output)", valueName: "file"),
        transform: NonemptyOption.read)
    var output: String?

    @Argument(
        help: ArgumentHelp("The name of a built-in scenario, such as tour.", valueName: "name"),
        transform: NonemptyOption.read)
    var name: String?

    func validate() throws {
        if schema, name != nil { throw ValidationError("--schema prints the schema; leave out the name.") }
        if fromLog != nil, schema || name != nil {
            throw ValidationError("--from-log makes a scenario; leave out \(schema ? "--schema" : "the name").")
        }
        if fromLog == nil, session != nil { throw ValidationError("--session is for --from-log.") }
        if output != nil, !schema, name == nil, fromLog == nil {
            throw ValidationError("--output needs what to write: a name, --from-log or --schema.")
        }
    }

    func run() throws {
        do {
            if schema {
                try write(BundledScenarios.schema)
            } else if let fromLog {
                let made = try ScenarioFromLog(fromLog, session: session)
                for note in made.notes { Messages.write(note) }
                try write(made.text)
            } else if let name {
                try write(try BundledScenarios.all.text(of: name))
            } else {
                for name in BundledScenarios.all.names { Messages.result(block: Self.listing(name)) }
            }
        } catch {
            throw Messages().exit(error)
        }
    }

    /// Writes a file as it is; on standard output it ends with a line end.
    private func write(_ file: [UInt8]) throws(StartError) {
        guard let output else {
            let text = file.last == UInt8(ascii: "\n") ? file.dropLast() : file[...]
            Messages.result(json: String(decoding: text, as: UTF8.self))
            return
        }
        do {
            let descriptor = try FileDescriptor.open(
                FilePath(output), .writeOnly, options: [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            try descriptor.closeAfter { _ = try descriptor.writeAll(file) }
        } catch {
            throw .unavailable("\(output) cannot be written (\(error)).")
        }
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
