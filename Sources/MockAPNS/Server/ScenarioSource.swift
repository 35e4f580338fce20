package import MockAPNSCore
public import SystemPackage

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockAPNSServer {
    /// Where a scenario comes from.
    public struct ScenarioSource: Sendable, Equatable {
        enum Content: Sendable, Equatable {
            case file(FilePath)
            case json(String, folder: FilePath?)
        }

        let content: Content
        /// What its mistakes are told of: the file, or the line that has the text.
        package let name: String

        /// A file. The paths in it are relative to its folder.
        public static func file(_ path: FilePath) -> ScenarioSource {
            ScenarioSource(content: .file(path), name: path.string)
        }

        /// A file, as a test's bundle names its resources. The paths in it are relative to its folder.
        public static func file(_ url: URL) -> ScenarioSource { .file(FilePath(url.path(percentEncoded: false))) }

        /// The text of one.
        ///
        /// - Parameters:
        ///   - text: the text.
        ///   - folder: to which the paths in it are relative; `nil`: the current one.
        ///   - fileID: the caller's file; a mistake is told with it.
        ///   - line: the caller's line.
        public static func json(
            _ text: String, folder: FilePath? = nil, fileID: String = #fileID, line: Int = #line
        ) -> ScenarioSource {
            ScenarioSource(content: .json(text, folder: folder), name: "\(fileID):\(line): scenario")
        }

        /// The text, if it is one.
        package var text: String? { if case .json(let text, _) = content { text } else { nil } }

        /// Whether both are the same file or text, wherever the text stands.
        public static func == (one: Self, other: Self) -> Bool { one.content == other.content }
    }
}

/// A scenario that was read, and what it was read from.
struct LoadedScenario: Sendable {
    var scenario = Scenario()
    /// The text, as it was written.
    var text = Array("{}".utf8)
    /// The folder to which its paths are relative; `nil` means the current one.
    var folder: FilePath?

    /// The behaviour without a scenario.
    init() {}

    /// A scenario that was read before.
    init(_ scenario: Scenario, text: [UInt8], folder: FilePath? = nil) {
        self.scenario = scenario
        self.text = text
        self.folder = folder
    }

    /// Reads what the configuration names, beside everything else. Ends soon when the task is cancelled.
    static func apart(_ configuration: Configuration) async throws -> LoadedScenario {
        try await Slices.apart(.files) { stop in try LoadedScenario(configuration, stop) }
    }

    /// Reads what the configuration names.
    ///
    /// - Parameter stop: asked now and then whether to go on; ends the reading with an error.
    /// - Throws: ``StartError/malformed(_:)`` with a line for each mistake.
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
    /// Reads a scenario's file.
    ///
    /// - Throws: ``StartError/malformed(_:)`` with a line for each mistake.
    package static func read(_ file: FilePath) throws(StartError) -> Scenario {
        var scenario = try read(text(of: file), file: file.string)
        try scenario.readStrings(relativeTo: file.removingLastComponent())
        return scenario
    }

    /// The text of a scenario's file.
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
