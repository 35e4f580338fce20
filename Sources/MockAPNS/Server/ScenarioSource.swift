package import MockAPNSCore
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
            case json(String, folder: FilePath?)
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

    /// Creates the default behavior without a scenario.
    init() {}

    /// Wraps a scenario that has been read.
    init(_ scenario: Scenario, text: [UInt8], folder: FilePath? = nil) {
        self.scenario = scenario
        self.text = text
        self.folder = folder
    }

    /// Reads the configuration's scenario in the background. Ends early if the task is canceled.
    static func apart(_ configuration: Configuration) async throws -> LoadedScenario {
        try await Slices.apart(.files) { stop in try LoadedScenario(configuration, stop) }
    }

    /// Reads the configuration's scenario.
    ///
    /// - Parameter stop: called now and then to check whether to continue; ends reading with an error.
    /// - Throws: ``StartError/malformed(_:)`` with one line per mistake.
    init(_ configuration: Configuration, _ stop: StopCheck = .never) throws(StartError) {
        guard let source = configuration.scenario else { return }
        switch source.content {
        case .file(let path):
            text = try BoundedFile.read(path, .scenario, stop)
            folder = path.removingLastComponent()
        case .json(let json, let folder):
            text = Array(json.utf8)
            self.folder = folder
        }
        scenario = try .read(text, file: source.name, trustedKeyIDs: configuration.trustedKeys.map(\.keyID), stop)
        try scenario.readStrings(relativeTo: folder, stop)
    }
}

extension Scenario {
    /// Reads a scenario file.
    ///
    /// - Throws: ``StartError/malformed(_:)`` with one line per mistake.
    package static func read(_ file: FilePath) throws(StartError) -> Scenario {
        var scenario = try read(text(of: file), file: file.string)
        try scenario.readStrings(relativeTo: file.removingLastComponent())
        return scenario
    }

    /// Returns the text of a scenario file.
    package static func text(of file: FilePath) throws(StartError) -> [UInt8] { try BoundedFile.read(file, .scenario) }

    fileprivate static func read(
        _ text: [UInt8], file: String, trustedKeyIDs: [String] = [], _ stop: StopCheck = .never
    ) throws(StartError) -> Scenario {
        let (scenario, mistakes) = Scenario.read(text, trustedKeyIDs: trustedKeyIDs, stop: stop)
        guard let scenario else {
            throw .malformed(ScenarioMistake.lines(mistakes, file: file, text).joined(separator: "\n"))
        }
        return scenario
    }
}
