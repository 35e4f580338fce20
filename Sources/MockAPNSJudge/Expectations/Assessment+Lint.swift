import MockAPNSCore

/// Judges expectations of what lint finds.
extension Assessment {
    /// Maximum number of findings named.
    private static let namedFindings = 3

    func lint(_ query: LintQuery, _ count: CountRange) -> ExpectationResult {
        let all = lint?.report ?? LintReport()
        let found = all.findings.filter(query.wants)
        var result = ExpectationResult(
            name: "", passed: count.contains(found.count), expected: count.words("lint finding") + query.words,
            seen: counted(found.count, "lint finding"))
        if all.omitted > 0 {
            // Any of those left out may be wanted.
            result.passed = result.passed && count.atMost == nil
            result.seen += "; \(counted(all.omitted, "further one")) left out"
        }
        if lint?.report.judged?.isEmpty ?? true {
            // A run in which nothing happened shows nothing.
            result.passed = false
            result.seen += ", as there was no push to judge"
        }
        if let rule = query.rule, input.scenario.lint.rules[rule] == .off { result.seen += ", as the rule is off" }
        guard !result.passed else { return result }
        if !found.isEmpty { result.seen += ": " + named(found) }
        if found.count < count.atLeast { result.nearMisses = nearest(to: query, among: all.findings) }
        return result
    }

    private func named(_ findings: [LintFinding]) -> String {
        var lines = findings.prefix(Self.namedFindings).map { finding in
            var finding = finding
            input.origins?.name(&finding)
            return finding.line
        }
        if findings.count > lines.count { lines.append("\(findings.count - lines.count) more") }
        return lines.joined(separator: "; ")
    }

    /// Returns the findings that a query nearly wants: of its rule or one of the same family, and less bad.
    private func nearest(to query: LintQuery, among findings: [LintFinding]) -> [NearMiss] {
        let misses = findings.compactMap { finding -> NearMiss? in
            guard let sequence = finding.sequence else { return nil }
            if let rule = query.rule, finding.rule.family != rule.family { return nil }
            let differences = query.differences(from: finding)
            return differences.isEmpty ? nil : NearMiss(sequence: Int(sequence), differences: differences)
        }
        let counts = Set(misses.map(\.differences.count)).sorted()
        let nearestFirst = counts.flatMap { count in misses.filter { $0.differences.count == count } }
        return Array(nearestFirst.prefix(RequestSnapshot.nearMissCount))
    }
}

extension LintQuery {
    /// The conditions, as words that follow "finding": ` of rule "badge-type" with severity "error"`, or nothing.
    fileprivate var words: String {
        let rule = rule.map { " of rule \"\($0.id)\"" } ?? ""
        return rule + (severity.map { " with severity \($0.words)" } ?? "")
    }

    fileprivate func differences(from finding: LintFinding) -> [NearMiss.Difference] {
        var differences: [NearMiss.Difference] = []
        if let rule, rule != finding.rule {
            differences.append(
                .init(
                    field: "lint rule", expected: "\"\(rule.id)\"", found: "\"\(finding.rule.id)\""))
        }
        if let severity, finding.severity < severity {
            differences.append(
                .init(
                    field: "lint severity", expected: severity.words, found: "\"\(finding.severity.rawValue)\""))
        }
        return differences
    }
}

extension LintSeverity {
    /// The severities that are at least as bad.
    fileprivate var words: String { self == .error ? "\"error\"" : "\"\(rawValue)\" or worse" }
}
