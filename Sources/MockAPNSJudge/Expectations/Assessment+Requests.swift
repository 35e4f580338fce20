import MockAPNSCore

/// Judges expectations of requests.
extension Assessment {
    func requests(
        _ match: RequestMatch, _ count: CountRange, _ distinct: Expectation.Distinct?, _ each: RequestField?,
        _ tally: ExpectationCounter.Tally
    ) -> ExpectationResult {
        let what = distinct.map { ("different value\($0.words)", "different values\($0.words)") }
        let expected =
            what.map { "\(count.words($0.0, $0.1)) in requests\(match.words)" } ?? count.words("request") + match.words
        var result = ExpectationResult(name: "", passed: false, expected: each.phrase(expected), seen: "")
        guard let counts = tally.counts else { return result }
        if let each, counts.groups.isEmpty {
            result.lacks = each.noValue
            result.nearMisses = nearMisses(RequestTest(match, patterns), nil, nil)
            return result
        }
        func number(_ tally: CountTally) -> Int { distinct == nil ? tally.requests : tally.values.count }
        func seen(_ tally: CountTally) -> String {
            guard let what else { return counted(tally.requests, "request") }
            return "\(counted(tally.values.count, what.0, what.1)) in \(counted(tally.requests, "request"))"
        }
        guard let group = counts.wrong(where: { !count.contains(number($0)) }) else {
            result.passed = !counts.isOverfull && !counts.contains(where: \.isOverfull)
            result.seen = each.map { counts.allRight($0) } ?? seen(counts.all)
            if !result.passed { result.seen = TallyLimit.words }
            return result
        }
        let test = RequestTest(match, patterns)
        let numbers = lookups.sequences(after: after) { [within] subject in
            test.holds(&subject) && Self.belongs(&subject, each, group.value, within)
        }
        result.seen = seen(group.tally) + named(numbers, of: group.tally.requests) + counts.group(group)
        if number(group.tally) < count.atLeast { result.nearMisses = nearMisses(test, each, group.value) }
        return result
    }

    func inOrder(_ matches: [RequestMatch], _ each: RequestField?, _ tally: ExpectationCounter.Tally)
        -> ExpectationResult
    {
        let steps = matches.map { "a request\($0.words)" }
        var result = ExpectationResult(
            name: "", passed: false, expected: each.phrase("in this order: " + steps.joined(separator: "; ")), seen: "")
        guard let orders = tally.orders else { return result }
        if each == nil ? orders.all.now.isEmpty : orders.groups.isEmpty {
            let steps = matches.count == 1 ? "no request\(matches[0].words)" : "no request matches any step"
            result.lacks = each?.noValue ?? steps
            result.nearMisses = nearMisses(RequestTest(matches[0], patterns), nil, nil)
            return result
        }
        guard let group = orders.wrong(where: { $0.now.fulfilled < matches.count }) else {
            result.passed = !orders.isOverfull
            result.seen = each.map { orders.allRight($0) } ?? "\(counted(matches.count, "request")) in this order"
            if !result.passed { result.seen = TallyLimit.words }
            return result
        }
        let order = group.tally.now
        let next = matches[order.fulfilled]
        if order.fulfilled == 0 {
            result.seen = "no request\(next.words)"
        } else {
            let fulfilled =
                order.fulfilled == 1
                ? "step 1 (request \(input.name(ofRequest: order.latest)))"
                : "steps 1 to \(order.fulfilled) (up to request \(input.name(ofRequest: order.latest)))"
            result.seen = "\(fulfilled), but no request after it matches step \(order.fulfilled + 1)"
        }
        result.seen += orders.group(group)
        result.nearMisses = nearMisses(RequestTest(next, patterns), each, group.value, mustFollow: order.latest)
        return result
    }

    func spaced(
        _ spacing: Expectation.Spacing, _ match: RequestMatch, _ each: RequestField?, _ tally: ExpectationCounter.Tally
    ) -> ExpectationResult {
        var result = ExpectationResult(
            name: "", passed: false, expected: each.phrase("\(spacing.words) between requests\(match.words)"), seen: "")
        guard let spacings = tally.spacings else { return result }
        if spacings.all.now.isEmpty, spacings.groups.values.allSatisfy(\.tally.now.isEmpty) {
            result.lacks =
                each.map { "no two matching requests have the same value of \($0.rawValue)" }
                ?? spacings.all.now.noGap("matching request")
            result.nearMisses = nearMisses(RequestTest(match, patterns), nil, nil)
            return result
        }
        guard let group = spacings.wrong(where: { !$0.now.holds }) else {
            result.passed = !spacings.isOverfull
            result.seen =
                each.map { spacings.allRight($0) }
                ?? seen(spacings.all.now, "requests", named: input.name(ofRequest:))
            if !result.passed { result.seen = TallyLimit.words }
            return result
        }
        let gaps = group.tally.now
        result.seen = seen(gaps, "requests", named: input.name(ofRequest:)) + spacings.group(group)
        if let wanted = spacing.gaps, gaps.count - 1 < wanted {
            result.nearMisses = nearMisses(RequestTest(match, patterns), each, group.value)
        }
        return result
    }

    /// Returns whether a record belongs to a group's value, and is in scope.
    private static func belongs(
        _ subject: inout RecordSubject, _ each: RequestField?, _ value: RecordValue?, _ within: RequestTest?
    ) -> Bool {
        if let each, subject.value(each) != value { return false }
        return within?.holds(&subject) ?? true
    }

    /// - Parameter mustFollow: the sequence number that it has to exceed.
    private func nearMisses(
        _ test: RequestTest, _ each: RequestField?, _ value: RecordValue?, mustFollow: Int = 0
    ) -> [NearMiss] {
        lookups.nearMisses(test, after: after) { [within] subject in
            guard subject.sequence != mustFollow, Self.belongs(&subject, each, value, within) else { return nil }
            if subject.sequence > mustFollow { return [] }
            let origins = input.origins
            return [
                NearMiss.Difference(
                    field: "sequence", expected: "above \(origins?.name(ofRequest: mustFollow) ?? "\(mustFollow)")",
                    found: "\(subject.sequence)")
            ]
        }
    }
}

extension Grouped {
    /// A value with a failing tally.
    struct Wrong {
        var value: RecordValue?
        var tally: Tally
        /// The number of failing values.
        var count: Int
    }

    /// Returns the first value with a failing tally.
    fileprivate func wrong(where isWrong: (Tally) -> Bool) -> Wrong? {
        guard each != nil else { return isWrong(all) ? Wrong(value: nil, tally: all, count: 1) : nil }
        var first: (value: RecordValue, group: Group)?
        var count = 0
        for (value, group) in groups where isWrong(group.tally) {
            count += 1
            if group.index < first?.group.index ?? .max { first = (value, group) }
        }
        return first.map { Wrong(value: $0.value, tally: $0.group.tally, count: count) }
    }

    fileprivate func contains(where holds: (Tally) -> Bool) -> Bool {
        holds(all) || groups.values.contains { holds($0.tally) }
    }

    /// Returns which value failed, to follow what was seen of it.
    fileprivate func group(_ wrong: Wrong) -> String {
        guard let each, let value = wrong.value else { return "" }
        let others = wrong.count > 1 ? "; \(countedBe(wrong.count - 1, "other value")) wrong, too" : ""
        return ", for \(each.rawValue) \(value.json)\(others)"
    }

    fileprivate func allRight(_ each: RequestField) -> String {
        "true of \(counted(groups.count, "value")) of \(each.rawValue)"
    }
}

extension TallyLimit {
    fileprivate static let words = "more than \(values) different values, too many to be sure"
}

extension RequestField {
    /// The text that says that there is no value to judge.
    fileprivate var noValue: String { "no matching request has a value of \(rawValue)" }
}

extension SpacingTally {
    /// Returns the text that says that there is no gap to judge.
    func noGap(_ noun: String) -> String { "\(counted(count, noun)), and a gap is between two" }
}

extension RequestField? {
    /// Returns the phrase for what is expected, for each value if there is a field.
    fileprivate func phrase(_ expected: String) -> String {
        map { "for each \($0.rawValue): \(expected)" } ?? expected
    }
}

extension Expectation.Distinct {
    fileprivate var words: String {
        switch self {
        case .field(let field): " of \(field.rawValue)"
        case .payload(let pointer): " of payload \(pointer)"
        }
    }
}
