package import MockAPNSCore

/// A row of the table of fidelity: a behavior of APNs, how certain it is, and who says so.
///
/// The article Fidelity and the probes both come from this table, `Data/facts.json`; tests hold the article to it.
package struct FidelityFact: Sendable {
    /// The name by which probes refer to the row, such as `errorFields`.
    package var id: String
    /// The behavior of APNs, in Markdown.
    package var behavior: String
    package var mark: CheckFacts.Mark
    /// A restriction of the mark, such as "the details guessed"; `nil` if there is none.
    package var remark: String?
    /// The source, in Markdown, with links such as `[sending]`; empty for a guess that rests on nothing.
    package var source: String

    /// Creates a row.
    package init(id: String, behavior: String, mark: CheckFacts.Mark, remark: String?, source: String) {
        self.id = id
        self.behavior = behavior
        self.mark = mark
        self.remark = remark
        self.source = source
    }
}

/// The table of fidelity.
package struct FidelityTable: Sendable {
    /// A part of the article with its own table.
    package struct Section: Sendable {
        package var title: String
        package var facts: [FidelityFact]
    }

    package var sections: [Section]
    /// The addresses of links by their names, in the order of the article.
    package var links: [(name: String, address: String)]

    /// Returns the row with this name.
    package func fact(_ id: String) -> FidelityFact? {
        for section in sections {
            if let fact = section.facts.first(where: { $0.id == id }) { return fact }
        }
        return nil
    }

    /// Returns a source as plain text, with addresses instead of links.
    package func plainSource(of fact: FidelityFact) -> String {
        links.reduce(fact.source) { $0.replacing("[\($1.name)]", with: $1.address) }
    }

    /// Returns the table of a section as the article has it.
    package func markdown(_ section: Section) -> String {
        let rows = section.facts.map { fact in
            let mark = fact.mark.rawValue + (fact.remark.map { "; \($0)" } ?? "")
            return "| \(fact.behavior) | \(mark) | \(fact.source)\(fact.source.isEmpty ? "" : " ")|"
        }
        return (["| behavior | mark | source |", "|---|---|---|"] + rows).joined(separator: "\n")
    }
}

extension FidelityTable {
    /// Reads the table from JSON.
    package static func read(_ text: [UInt8]) throws(JSONText.Mistake) -> FidelityTable {
        var root = try Members(JSONText.read(text))
        var links: [(name: String, address: String)] = []
        for link in try root.list("links") {
            var link = try Members(link)
            links.append((try link.text("name"), try link.text("address")))
            try link.end()
        }
        var sections: [Section] = []
        for section in try root.list("sections") {
            var section = try Members(section)
            var facts: [FidelityFact] = []
            for fact in try section.list("facts") {
                var fact = try Members(fact)
                facts.append(
                    FidelityFact(
                        id: try fact.text("id"), behavior: try fact.text("behavior"), mark: try fact.word("mark"),
                        remark: try fact.optionalText("remark"), source: try fact.optionalText("source") ?? ""))
                try fact.end()
            }
            sections.append(Section(title: try section.text("title"), facts: facts))
            try section.end()
        }
        try root.end()
        return FidelityTable(sections: sections, links: links)
    }
}
