/// A query for the rules in force: which, and which page of them.
package struct RuleQuery: PagedQuery {
    package enum Filter: String, Sendable, CaseIterable {
        case name, added, usedUp
    }

    /// The name of the rule.
    package var name: String?
    /// Whether it was added since the scenario began.
    package var isAdded: Bool?
    /// Whether it will never decide again.
    package var isUsedUp: Bool?
    package var page = PageRequest()

    package init() {}

    package mutating func select(by filter: Filter, _ parameter: QueryParameter) throws(QueryError) {
        switch filter {
        case .name: name = parameter.value
        case .added: isAdded = try parameter.bool()
        case .usedUp: isUsedUp = try parameter.bool()
        }
    }

    /// Returns whether a rule matches the query.
    fileprivate func isAbout(_ inForce: RuleInForce) -> Bool {
        guard name == nil || name == inForce.rule.name else { return false }
        return (isAdded ?? inForce.isAdded) == inForce.isAdded && (isUsedUp ?? inForce.isUsedUp) == inForce.isUsedUp
    }
}

extension Gateway {
    /// Returns a page of the rules in force, in the order in which they are tried, and the number of rules on all pages.
    package func look(for query: RuleQuery) -> (page: Page<RuleSummary>, total: Int) {
        var (page, total, latest) = (Page<RuleSummary>(), 0, 0)
        for inForce in rules.rules where query.isAbout(inForce) {
            total += 1
            guard inForce.position > query.page.after else { continue }
            guard page.elements.count < query.page.limit else {
                page.next = latest
                continue
            }
            page.elements.append(RuleSummary(inForce))
            latest = inForce.position
        }
        return (page, total)
    }
}

extension RuleSummary {
    fileprivate init(_ inForce: RuleInForce) {
        self.init(
            name: inForce.rule.name, trigger: inForce.rule.trigger, steps: inForce.rule.steps.count,
            decided: inForce.decided, left: inForce.left, isUsedUp: inForce.isUsedUp, isAdded: inForce.isAdded)
    }
}
