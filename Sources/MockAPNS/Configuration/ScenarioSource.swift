package import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario
public import SystemPackage

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockAPNSServer {
    /// The source of a scenario.
    public struct ScenarioSource: Sendable, Equatable {
        enum Content: Sendable, Equatable {
            case file(FilePath)
            /// The name of a built-in scenario.
            case story(String)
            case json(String, folder: FilePath?)
            /// As JSON.
            case swift(String)
        }

        let content: Content
        /// The name used in messages about its mistakes: the file, or the line of source code that contains the text.
        package let name: String

        /// A scenario file. Paths in it are relative to its folder.
        public static func file(_ path: FilePath) -> ScenarioSource {
            ScenarioSource(content: .file(path), name: path.string)
        }

        /// A scenario file by URL, as for a resource in a test bundle. Paths in it are relative to its folder.
        public static func file(_ url: URL) -> ScenarioSource { .file(FilePath(url.path(percentEncoded: false))) }

        /// A built-in scenario, by its name: a story of the folder `scenarios`, such as `tour`.
        public static func story(_ name: String) -> ScenarioSource { ScenarioSource(content: .story(name), name: name) }

        /// A scenario as a command line names it: a file, or a built-in scenario where there is no such file.
        package static func named(_ text: String) -> ScenarioSource {
            let isPath = text.contains("/") || text.hasSuffix(".json") || text.hasPrefix(".") || text.isEmpty
            var isFolder = false
            let isFile = FileManager.default.fileExists(atPath: text, isDirectory: &isFolder) && !isFolder
            return isPath || isFile ? .file(FilePath(text)) : .story(text)
        }

        /// A scenario given as text.
        ///
        /// - Parameters:
        ///   - text: the text.
        ///   - folder: the folder that paths in the text are relative to; `nil` for the current one.
        ///   - fileID: the caller's file, which messages about mistakes start with.
        ///   - line: the caller's line.
        public static func json(
            _ text: String, folder: FilePath? = nil, fileID: String = #fileID, line: Int = #line
        ) -> ScenarioSource {
            ScenarioSource(content: .json(text, folder: folder), name: "\(fileID):\(line): scenario")
        }

        /// A scenario written in Swift. Paths in it are relative to the current folder.
        ///
        /// ```swift
        /// @Test(
        ///     .mockAPNS(
        ///         scenario: .swift(
        ///             .manualClock(),
        ///             .devices(.device(name: "alice", token: alice, online: false)),
        ///             .rules(.rule(.reject(.tooManyRequests), times: 1)),
        ///             .timeline(.at(.seconds(600), do: .device("alice", online: true))),
        ///             .expect(.requests(.device("alice").status(200), count: 1)))))
        /// ```
        ///
        /// - Parameters:
        ///   - members: its members, each once.
        ///   - fileID: the caller's file, for messages about mistakes.
        ///   - line: the caller's line.
        public static func swift(
            _ members: ScenarioMember..., fileID: String = #fileID, line: Int = #line
        ) -> ScenarioSource {
            let text = JSONText.Value(members.map(\.member)).text
            return ScenarioSource(content: .swift(text), name: "\(fileID):\(line): scenario")
        }

        /// The text, unless it is a file.
        package var text: String? { if case .json(let text, _) = content { text } else { nil } }

        /// Returns whether both are the same file or text, regardless of where the text was written.
        public static func == (one: Self, other: Self) -> Bool { one.content == other.content }
    }
}

/// A scenario, and what it was read from.
struct LoadedScenario: Sendable {
    var scenario = Scenario()
    /// The text as written.
    var text = Array("{}".utf8)
    /// The folder that its paths are relative to; `nil` for the current one.
    var folder: FilePath?

    /// Wraps a scenario that has been read.
    init(_ scenario: Scenario, text: [UInt8], folder: FilePath? = nil) {
        self.scenario = scenario
        self.text = text
        self.folder = folder
    }

    /// Reads the configuration's scenario in the background. Ends early if the task is canceled.
    static func read(_ configuration: Configuration) async throws -> LoadedScenario {
        try await BackgroundWork.run(.files) { stop in try LoadedScenario(configuration, stop) }
    }

    /// Reads the configuration's scenario.
    ///
    /// - Parameter stop: called now and then to check whether to continue; ends reading with an error.
    /// - Throws: ``MockAPNSWords/StartError/mistakes(_:)``, with one line per mistake.
    init(_ configuration: Configuration, _ stop: CancellationCheck = .never) throws(StartError) {
        guard let source = configuration.scenario else { return }
        (text, folder) = try Self.text(of: source, stop)
        scenario = try .read(text, from: source, trustedKeyIDs: configuration.trustedKeys.map(\.keyID), stop)
        try scenario.readStrings(relativeTo: folder, stop)
    }

    /// Returns the text of a scenario, and the folder that its paths are relative to.
    fileprivate static func text(
        of source: ScenarioSource, _ stop: CancellationCheck
    ) throws(StartError) -> (text: [UInt8], folder: FilePath?) {
        switch source.content {
        case .file(let path): (try Scenario.text(of: path, stop), path.removingLastComponent())
        case .story(let name): (try BundledScenarios.all.text(of: name), nil)
        case .json(let json, let folder): (Array(json.utf8), folder)
        case .swift(let json): (Array(json.utf8), nil)
        }
    }
}

extension Scenario {
    /// Reads a scenario file.
    ///
    /// - Throws: ``MockAPNSWords/StartError/mistakes(_:)``, with one line per mistake.
    package static func read(_ file: FilePath) throws(StartError) -> Scenario {
        try LoadedScenario(Configuration(scenario: .file(file))).scenario
    }

    /// Reads a scenario as a command line names it: a file, or a built-in scenario.
    ///
    /// - Throws: ``MockAPNSWords/StartError/mistakes(_:)``, with one line per mistake.
    package static func read(named name: String) throws(StartError) -> Scenario {
        try LoadedScenario(Configuration(scenario: .named(name))).scenario
    }

    /// Returns the text of a scenario as a command line names it: a file, or a built-in scenario.
    package static func text(named name: String) throws(StartError) -> [UInt8] {
        try LoadedScenario.text(of: .named(name), .never).text
    }

    /// Returns the text of a scenario file.
    ///
    /// - Throws: ``StartError``, also for a recorded log.
    package static func text(
        of file: FilePath, _ stop: CancellationCheck = .never
    ) throws(StartError) -> [UInt8] {
        let beginning = try BoundedFile.readBeginning(file, .scenario, stop)
        if RecordedLog.isLog(beginning) {
            throw .malformed(
                "\(file) is a log that serve or exec has written, not a scenario; "
                    + "mock-apns scenario --from-log \(file) makes one of it.")
        }
        return try BoundedFile.whole(beginning, file, .scenario)
    }

    /// Returns the text of a file with the answers of an earlier probe.
    package static func answers(in file: FilePath) throws(StartError) -> [UInt8] {
        try BoundedFile.read(file, .answers)
    }

    fileprivate static func read(
        _ text: [UInt8], from source: ScenarioSource, trustedKeyIDs: [String] = [], _ stop: CancellationCheck = .never
    ) throws(StartError) -> Scenario {
        let (scenario, mistakes) = Scenario.read(text, trustedKeyIDs: trustedKeyIDs, stop: stop)
        if let scenario { return scenario }
        let lines =
            switch source.content {
            // Positions in generated text mean nothing to the reader.
            case .swift: mistakes.map { "\(source.name): \($0.message)" }
            case .file, .story, .json: ScenarioMistake.lines(mistakes, file: source.name, text)
            }
        throw .mistakes(lines)
    }
}
