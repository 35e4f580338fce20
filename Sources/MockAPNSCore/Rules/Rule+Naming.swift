extension Rule {
    /// Returns the same rule with devices given by name instead of by their indices in a list.
    ///
    /// A rule read on its own may name devices declared after the scenario began, so its indices are not those of the
    /// scenario's list.
    package func naming(_ devices: [DeclaredDevice]) -> Rule {
        var rule = self
        rule.match.conditions = match.conditions.map { condition in
            guard case .device(let indices) = condition else { return condition }
            let names = indices.compactMap { devices[$0].name.map { ValueMatcher.text(Array($0.utf8)) } }
            return .field(.device, names.count == 1 ? names[0] : .anyOf(names))
        }
        return rule
    }
}
