import Foundation

/// Which parts of the mutated modules are changed: everything that decides. A new file is, until it is named here.
enum DecisionCode {
    /// Files and folders below `Sources` that read or write text, count, or hold data, by patterns as of the shell. One that
    /// fits no file any more is a mistake, and told.
    static let ignoredFiles = [
        // Text and its forms.
        "MockAPNSJSON/[!T]*", "*Text*", "*+JSON*", "*/Explanation*", "*/AuthorizationRedaction*", "*/TokenSignature*",
        "*Words*", "MockAPNSJudge/Reports/*", "*/MockAPNSVersion*",
        // The model of the scenario, its reader, and that of the apps' strings.
        "MockAPNSCore/Scenario/[!GMU]*", "MockAPNSScenario/Reading/[!M]*", "MockAPNSScenario/Calls/[!A]*",
        "MockAPNSScenario/Current/*", "*/StringsFile*",
        // What is recorded, written, read back, searched and counted.
        "MockAPNSCore/RequestLog/[!C]*", "MockAPNSJudge/Replay/*", "*/RequestPage*", "MockAPNSCore/Metrics/*",
        "*/RecordValue*", "*/RecordSubject.swift", "*/RecordSubject+Members*", "*/RequestField*", "*/DeviceQuery*",
        "*/PagedQuery*", "*/RuleQuery*", "*/DeviceView*",
        // How expectations are told of; what they are judged by is counted in the others of `Expectations`.
        "*/Assessment*", "*/NearMisses*", "*/*VerificationInput*", "*/LogLookups*", "*/Verification*",
        "*/FoundRequests*",
        // Advice on payloads: it refuses nothing, and each rule has its own examples on both sides.
        "*/Lint/*", "*/LintedRun*", "MockAPNSJudge/Payload/*", "MockAPNSJudge/Provider/*",
        // The binary form of a replica's log: its tests change each byte and cut it everywhere.
        "*/FrameInput*", "*/FrameOutput*", "*/FrameTotals*", "*/ReplicaFrame*",
        "*/CallRecord*", "*/Digest*",
        // How values, tables and numbers are held, and how things are found quickly.
        "*/APNSID*", "*/DeviceToken*", "*/DeviceRecords*", "*/TopicTable*", "*/HeaderName*", "*/SlotPool*",
        "*/SeededRandom*", "*Drawing*", "*/DeviceTokenIndex*", "*/RuleIndex*",
    ]

    /// Calls whose arguments change nothing that can be seen.
    static let ignoredCalls: Set<String> = [
        "precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError", "reserveCapacity",
    ]

    /// Arguments, by their labels, that change nothing that can be seen.
    static let ignoredArguments: Set<String> = ["keepingCapacity"]

    /// Functions and properties, by their names without labels: those that make text, and those that say what is quicker.
    static let ignoredFunctions: Set<String> = [
        "description", "summary", "words", "list", "duration", "explanation", "hash", "cost", "sortedByCost",
    ]

    /// Types whose extensions read text, wherever they are.
    static let ignoredTypes: Set<String> = ["ScenarioReader"]

    /// Version numbers. They are only compared for being the same, so that it does not matter to which other number one
    /// moves; only that it moves at all.
    static let versionNumbers: Set<String> = ["authenticationGeneration", "generation", "namesVersion", "removals"]

    /// Questions that are asked to save work. Where the answer is yes for nothing, something is looked for and not found;
    /// only a wrong no can be seen.
    static let savingQuestions: Set<String> = [
        "isScripted", "isNeeded", "seesChanges", "seesRequests", "seesConnections", "hasUndecided", "hasEvents",
        "finds", "mayChangeConnection",
    ]

    /// Hashes. Where one is compared before the bytes that it is of, it decides nothing and saves the comparison.
    static let hashes: Set<String> = ["hash"]

    /// The source files of the mutated modules, relative to `Sources`.
    static func allFiles(below folder: URL) throws -> [String] {
        try PackageManifest.mutated.flatMap { module in
            try FileManager.default.subpathsOfDirectory(atPath: folder.appending(path: module).path)
                .filter { $0.hasSuffix(".swift") }.map { "\(module)/\($0)" }
        }
    }

    /// The source files that are changed, relative to `Sources`, and the patterns that fit nothing.
    static func files(below folder: URL) throws -> (files: [String], unusedPatterns: [String]) {
        var unused = Set(ignoredFiles)
        let files = try allFiles(below: folder).filter { file in
            let fitting = ignoredFiles.filter { fnmatch($0, file, 0) == 0 }
            unused.subtract(fitting)
            return fitting.isEmpty
        }
        return (files.sorted(), unused.sorted())
    }
}
