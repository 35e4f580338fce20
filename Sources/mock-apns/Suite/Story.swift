import ArgumentParser
import MockAPNS
import MockAPNSAdmin
import MockAPNSCore
import MockAPNSScenario
import SystemPackage

/// A scenario that a suite plays.
struct Story: Sendable {
    /// The name: that of the file, without `.json`.
    let name: String
    let scenario: Scenario
    let source: MockAPNSServer.ScenarioSource
    /// The folder that its paths are relative to; `nil` if it is built in.
    let folder: FilePath?

    /// Reads a scenario's file.
    init(file: String) throws(StartError) {
        let path = FilePath(file)
        name = path.stem ?? file
        scenario = try Scenario.read(path)
        source = .file(path)
        folder = path.removingLastComponent()
    }

    /// A built-in scenario.
    init(bundled name: String, _ text: [UInt8]) throws(StartError) {
        let (scenario, mistakes) = Scenario.read(text)
        guard let scenario else {
            throw .mistakes(ScenarioMistake.lines(mistakes, file: "\(name).json", text))
        }
        self.name = name
        self.scenario = scenario
        source = .json(String(decoding: text, as: UTF8.self))
        folder = nil
    }

    /// The stories that the arguments name, each once; if they name none, all that are built in.
    static func named(_ arguments: [String]) throws -> [Story] {
        let bundled = BundledScenarios.all
        var stories: [Story] = []
        for argument in arguments.isEmpty ? bundled.names : arguments {
            if !argument.contains("/"), !argument.hasSuffix(".json") {
                guard let text = bundled[argument] else {
                    throw ValidationError(unknown(argument, among: bundled.names))
                }
                stories.append(try Story(bundled: argument, text))
            } else if let text = try? Scenario.text(of: FilePath(argument)), Scenario.isSchema(text) {
                // Beside the scenarios of a folder there is their schema.
                continue
            } else {
                stories.append(try Story(file: argument))
            }
        }
        var names = Set<String>()
        for story in stories where !names.insert(story.name).inserted {
            throw ValidationError("Two stories are called \(story.name); give each once.")
        }
        return stories
    }

    /// The stories to play.
    ///
    /// - Parameters:
    ///   - only: the names of those to keep; all of them if it is empty.
    ///   - hasArguments: whether the command line names them. Otherwise stories without a workload are left out.
    static func chosen(of stories: [Story], only: [String], hasArguments: Bool) throws -> [Story] {
        let names = Set(stories.map(\.name))
        for name in only where !names.contains(name) {
            throw ValidationError(unknown(name, among: names.sorted()))
        }
        return stories.filter { story in
            only.isEmpty ? hasArguments || !story.scenario.workload.isEmpty : only.contains(story.name)
        }
    }

    /// The name, the first sentence of the description, and what it needs of a driver, for people.
    var listing: String {
        var lines = [name]
        if let text = scenario.description.map(PrintableText.joined) {
            lines.append("  " + text.firstSentence)
        }
        let needs = scenario.needs.map(\.rawValue)
        if !needs.isEmpty { lines.append("  needs: \(needs.joined(separator: ", "))") }
        return lines.map(PrintableText.line).joined(separator: "\n")
    }

    private static func unknown(_ name: String, among names: [String]) -> String {
        let hint = nearestWord(to: name, among: names).map { "Did you mean \"\($0)\"?" }
        let some = names.prefix(3).map { "\"\($0)\"" }.joined(separator: ", ")
        return "There is no story \"\(name)\". \(hint ?? "Expected a file, or one such as \(some).")"
    }
}
