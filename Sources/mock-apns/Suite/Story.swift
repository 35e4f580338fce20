import ArgumentParser
import MockAPNS
import MockAPNSCore
import SystemPackage

/// A scenario that a suite plays.
struct Story: Sendable {
    /// The name: that of the file, without `.json`.
    let name: String
    let scenario: Scenario
    let source: MockAPNSServer.ScenarioSource

    /// Reads a scenario's file.
    init(file: String) throws(StartError) {
        let path = FilePath(file)
        name = path.stem ?? file
        scenario = try Scenario.read(path)
        source = .file(path)
    }

    /// A scenario that the executable brings with it.
    init(bundled name: String, _ text: [UInt8]) throws(StartError) {
        let (scenario, mistakes) = Scenario.read(text)
        guard let scenario else {
            throw .malformed(ScenarioMistake.lines(mistakes, file: "\(name).json", text).joined(separator: "\n"))
        }
        self.name = name
        self.scenario = scenario
        source = .json(String(decoding: text, as: UTF8.self))
    }

    /// The stories that the arguments name, each once; all that the executable brings with it if they name none.
    ///
    /// - Parameter only: the names of those to keep; all of them if it is empty.
    static func named(_ arguments: [String], only: [String]) throws -> [Story] {
        let bundled = BundledScenarios()
        var stories: [Story] = []
        for argument in arguments.isEmpty ? bundled.names : arguments {
            if !argument.contains("/"), !argument.hasSuffix(".json") {
                guard let text = bundled[argument] else {
                    throw ValidationError(unknown(argument, bundled.names, "no story; it is not a file and"))
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
        for name in only where !names.contains(name) {
            throw ValidationError(unknown(name, names.sorted(), "no story to be played;"))
        }
        return only.isEmpty ? stories : stories.filter { only.contains($0.name) }
    }

    private static func unknown(_ name: String, _ names: [String], _ what: String) -> String {
        let near = nearestWord(to: name, among: names).map { " did you mean \($0)?" }
        return "\"\(name)\" is \(what)\(near ?? " none is called that.")"
    }
}
