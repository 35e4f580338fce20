/// Finds the rules that a push may match, so that a thousand that it cannot match cost nothing. Each rule is indexed
/// under one thing that it requires. The device is preferred, because it differs most between pushes; the push type
/// comes last.
struct RuleIndex {
    /// Rules for header fields: by the name of the field, then by its value.
    private struct Headers {
        var names = TextTable()
        /// For each name, the values required, and the rules that require something else of the field.
        var values: [TextTable] = []
        var others: [[Int]] = []
        /// One bit for each length of a name; most fields of a push fail this test already.
        var lengths: UInt64 = 0

        static func bit(ofLength length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }
    }

    private var tokens = TokenTable()
    private var topics = TextTable()
    private var pushTypes = TextTable()
    private var headers = Headers()
    /// Rules to try on every push.
    private var always: [Int] = []

    /// Creates an index of rules. Their positions in the list are the numbers that ``find(_:into:)`` returns.
    init(_ rules: [RuleInForce] = [], _ devices: borrowing DeviceRegistry) {
        for (index, inForce) in rules.enumerated() where inForce.rule.trigger == .push {
            add(index, inForce, devices)
        }
    }

    private mutating func add(_ index: Int, _ inForce: RuleInForce, _ devices: borrowing DeviceRegistry) {
        if let names = inForce.devices {
            for name in names {
                guard let device = devices.find(name: String(decoding: name, as: UTF8.self)) else { continue }
                tokens.add(index, for: devices.token(of: device))
            }
            return
        }
        let match = inForce.rule.match
        if let texts = match.onlyTexts(of: .token) {
            let known = texts.map { DeviceToken(hex: $0.span) }
            if known.allSatisfy({ $0 != nil }) {
                for case let token? in known { tokens.add(index, for: token) }
                return
            }
        }
        if let texts = match.onlyTexts(of: .topic) {
            for text in texts { topics.add(index, for: text) }
        } else if addHeader(index, match) {
            return
        } else if let texts = match.onlyTexts(of: .pushType) {
            for text in texts { pushTypes.add(index, for: text) }
        } else {
            always.append(index)
        }
    }

    /// Indexes a rule under a header field; returns whether it requires one.
    private mutating func addHeader(_ index: Int, _ match: MatchExpression) -> Bool {
        let demanded = match.conditions.compactMap { condition -> (name: [UInt8], texts: [[UInt8]]?)? in
            guard case .header(let name, let matcher) = condition, !ValueTest(matcher).holdsForAbsence else {
                return nil
            }
            return (Array(name.utf8), matcher.onlyTexts)
        }
        guard let best = demanded.first(where: { $0.texts != nil }) ?? demanded.first else { return false }
        let number = headers.names.add(index, for: best.name)
        if number == headers.values.count {
            headers.values.append(TextTable())
            headers.others.append([])
            headers.lengths |= Headers.bit(ofLength: best.name.count)
        }
        if let texts = best.texts {
            for text in texts { headers.values[number].add(index, for: text) }
        } else {
            headers.others[number].append(index)
        }
        return true
    }

    /// Finds the rules that may match a push, in ascending order; returns whether there are any.
    @inline(__always)
    func find(
        _ request: inout RequestContext, _ devices: borrowing DeviceRegistry, into found: inout [Int]
    ) -> Bool {
        if !found.isEmpty { found.removeAll(keepingCapacity: true) }
        if !always.isEmpty { found.append(contentsOf: always) }
        if !tokens.isEmpty, let token = request.push.deviceToken, let rules = tokens.rules(for: token) {
            Self.merge(rules, into: &found)
        }
        // The token of a Live Activity stands for its device.
        if !tokens.isEmpty, let device = request.device, device.activity != .ofDevice,
            let rules = tokens.rules(for: devices.token(of: device.index))
        {
            Self.merge(rules, into: &found)
        }
        if let number = topics.find(request.topic) { Self.merge(topics[number], into: &found) }
        if !pushTypes.isEmpty, let range = request.push.pushTypeText,
            let number = pushTypes.find(request.text(range))
        {
            Self.merge(pushTypes[number], into: &found)
        }
        if headers.lengths != 0 { findHeaders(&request, into: &found) }
        return !found.isEmpty
    }

    private func findHeaders(_ request: inout RequestContext, into found: inout [Int]) {
        let bytes = request.bytes
        var fields = HeaderFields(length: request.facts.headerLength)
        while let field = fields.next(in: bytes) {
            guard headers.lengths & Headers.bit(ofLength: Int(field.name.count)) != 0,
                let name = headers.names.find(bytes.extracting(field.name.range))
            else { continue }
            if !headers.others[name].isEmpty { Self.merge(headers.others[name], into: &found) }
            if let value = headers.values[name].find(bytes.extracting(field.value.range)) {
                Self.merge(headers.values[name][value], into: &found)
            }
        }
    }

    /// Merges two ascending lists into an ascending one.
    private static func merge(_ rules: [Int], into found: inout [Int]) {
        if let last = found.last, let first = rules.first, first <= last {
            var merged: [Int] = []
            merged.reserveCapacity(found.count + rules.count)
            var next = 0
            for rule in found {
                while next < rules.count, rules[next] <= rule {
                    if rules[next] < rule { merged.append(rules[next]) }
                    next += 1
                }
                merged.append(rule)
            }
            merged.append(contentsOf: rules[next...])
            found = merged
        } else {
            found.append(contentsOf: rules)
        }
    }
}
