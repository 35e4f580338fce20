import Foundation
import MockAPNSCore
import MockAPNSProbe
import Testing

/// The articles say what the table of fidelity and the probes say. With MOCK_APNS_WRITE_ARTICLES set, they are written.
@Suite struct ArticleTests {
    private static let folder =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        + "/Sources/MockAPNS/MockAPNS.docc/Reference/"

    @Test func fidelityHasTheTable() throws {
        var wanted: [(title: String, table: String)] = []
        for section in ProbeList.all.table.sections {
            wanted.append((section.title, ProbeList.all.table.markdown(section)))
        }
        try compare("Fidelity.md", wanted)
        let article = try String(contentsOfFile: Self.folder + "Fidelity.md", encoding: .utf8)
        for link in ProbeList.all.table.links { #expect(article.contains("[\(link.name)]: \(link.address)\n")) }
    }

    @Test func probeListHasAllProbes() throws {
        try compare(
            "ProbeList.md",
            ProbeGroup.allCases.compactMap { group in
                let probes = ProbeList.all.probes.filter { $0.group == group }
                guard !probes.isEmpty else { return nil }
                let rows = probes.map { probe in
                    "| `\(probe.name)` | \(probe.title.replacing("<", with: "\\<")) | \(probe.fact.mark.rawValue) |"
                }
                return (
                    group.rawValue,
                    (["| probe | what APNs does | mark |", "|---|---|---|"] + rows).joined(separator: "\n")
                )
            })
    }

    @Test func theExampleIsAProbe() throws {
        let article = try String(contentsOfFile: Self.folder + "Probe.md", encoding: .utf8)
        let start = try #require(article.range(of: "<!-- probe -->\n```json\n"))
        let end = try #require(article[start.upperBound...].range(of: "```"))
        let example = article[start.upperBound..<end.lowerBound].components(separatedBy: "\n").dropLast()
        let indented = example.map { "    " + $0 }.joined(separator: "\n")
        let files = (0..<ProbeGroup.allCases.count).map {
            String(decoding: ProbeList.file(Int32($0 + 2)), as: UTF8.self)
        }
        #expect(files.contains { $0.contains(indented) })
    }

    /// Compares the first table below each of these headings.
    private func compare(_ name: String, _ wanted: [(title: String, table: String)]) throws {
        let path = Self.folder + name
        var lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        let isWriting = ProcessInfo.processInfo.environment["MOCK_APNS_WRITE_ARTICLES"] != nil
        for (title, table) in wanted {
            let heading = try #require(lines.firstIndex(of: "### \(title)"), "\(name) lacks ### \(title)")
            let start = try #require(lines[heading...].firstIndex { $0.hasPrefix("|") })
            let end = lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
            if isWriting {
                lines.replaceSubrange(start..<end, with: table.components(separatedBy: "\n"))
            } else {
                for (found, row) in zip(lines[start..<end], table.components(separatedBy: "\n")) {
                    #expect(found == row, "\(name), \(title)")
                }
                #expect(end - start == table.components(separatedBy: "\n").count, "\(name), \(title)")
            }
        }
        if isWriting { try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8) }
    }
}
