import Foundation

/// The mutants of which it is known why they cannot be seen: `Tests/Mutants/survivors.json`.
struct KnownSurvivors {
    private struct Entry: Codable {
        var function: String
        var original: String
        var mutated: String
        /// 1 when it is absent.
        var occurrence: Int?
        var reason: String

        var key: Mutant.Key {
            .init(function: function, original: original, mutated: mutated, occurrence: occurrence ?? 1)
        }
    }

    /// Why each cannot be seen.
    let reasons: [Mutant.Key: String]

    init(contentsOf file: URL) throws {
        let entries = try JSONDecoder().decode([Entry].self, from: Data(contentsOf: file))
        for entry in entries where entry.reason.count < 20 {
            throw Failure("\(file.lastPathComponent) does not say why this cannot be seen: \(entry.key)")
        }
        reasons = Dictionary(entries.map { ($0.key, $0.reason) }) { first, _ in first }
    }

    /// How a new entry is written.
    static func entry(for key: Mutant.Key) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let entry = Entry(
            function: key.function, original: key.original, mutated: key.mutated,
            occurrence: key.occurrence == 1 ? nil : key.occurrence, reason: "")
        return (try? encoder.encode(entry)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
