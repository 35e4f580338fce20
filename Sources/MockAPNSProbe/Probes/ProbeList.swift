import CMockProbes
import MockAPNSCore

/// The probes that are built in: those of the folder `Data`.
package struct ProbeList: Sendable {
    /// All of them, read once.
    package static let all = ProbeList()

    /// The table of fidelity that the probes refer to.
    package let table: FidelityTable
    /// The probes, by group.
    package let probes: [Probe]
    /// The scenario of the server that a run without an address starts.
    package let scenario: [UInt8]

    private init() {
        scenario = Self.file(1)
        do throws(JSONText.Mistake) {
            let table = try FidelityTable.read(Self.file(0))
            var reader = ProbeReader(table)
            var probes: [Probe] = []
            for file in 2..<mock_probes_count() { probes += try reader.read(Self.file(file)) }
            self.table = table
            self.probes = probes
        } catch {
            // A test reads them all.
            fatalError("The probes cannot be read: \(error)")
        }
    }

    /// The bytes of a file, by its number in CMockProbes.c: the table, the scenario, then a file for each group.
    package static func file(_ number: Int32) -> [UInt8] {
        (0..<mock_probes_length(number)).map { mock_probes_byte(number, $0) }
    }

    /// Returns the probes that words such as `headers` or `headers/priority-5` name; `nil` for a word that names none.
    package func named(_ word: String) -> [Probe]? {
        let found = probes.filter { $0.group.rawValue == word || $0.path == word }
        return found.isEmpty ? nil : found
    }

    /// The names that a word might have meant.
    package var words: [String] { ProbeGroup.allCases.map(\.rawValue) + probes.map(\.path) }
}
