/// Texts, each with the rules that require it. A lookup takes a few nanoseconds and no memory.
///
/// All texts are from the scenario, so clients cannot cause collisions.
struct TextTable {
    private var texts: [[UInt8]] = []
    private var hashes: [UInt64] = []
    private var rules: [[Int]] = []
    /// The text numbers plus one, in slots determined by their hashes; 0 means free. Never more than half full.
    private var slots: [UInt32] = []

    var isEmpty: Bool { texts.isEmpty }

    /// Returns the number of a text, if it is in the table.
    @inline(__always)
    func find(_ text: Span<UInt8>) -> Int? {
        guard !slots.isEmpty else { return nil }
        let hash = text.hash
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if hashes[number] == hash {
                let known = texts[number]
                if known.span.equals(text) { return number }
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Returns the rules that require the text with this number, in ascending order.
    subscript(number: Int) -> [Int] { rules[number] }

    /// Adds a rule with a higher index than all before it; returns the number of the text.
    @discardableResult
    mutating func add(_ rule: Int, for text: [UInt8]) -> Int {
        if let number = find(text.span) {
            if rules[number].last != rule { rules[number].append(rule) }
            return number
        }
        texts.append(text)
        hashes.append(text.span.hash)
        rules.append([rule])
        if texts.count * 2 > slots.count {
            slots = [UInt32](repeating: 0, count: max(16, slots.count * 4))
            for number in texts.indices { enter(number) }
        } else {
            enter(texts.count - 1)
        }
        return texts.count - 1
    }

    private mutating func enter(_ number: Int) {
        var slot = Int(truncatingIfNeeded: hashes[number]) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(number + 1)
    }
}

/// Device tokens, each with the rules that require it.
struct TokenTable {
    private var tokens: [DeviceToken] = []
    private var rules: [[Int]] = []
    private var slots: [UInt32] = []
    private let key = HashKey(seed: 0)

    var isEmpty: Bool { tokens.isEmpty }

    /// Returns the rules that require a token, in ascending order.
    @inline(__always)
    func rules(for token: DeviceToken) -> [Int]? { find(token).map { rules[$0] } }

    @inline(__always)
    private func find(_ token: DeviceToken) -> Int? {
        guard !slots.isEmpty else { return nil }
        var slot = Int(truncatingIfNeeded: token.hash(key)) & (slots.count - 1)
        while slots[slot] != 0 {
            if tokens[Int(slots[slot]) - 1] == token { return Int(slots[slot]) - 1 }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds a rule with a higher index than all before it.
    mutating func add(_ rule: Int, for token: DeviceToken) {
        if let number = find(token) {
            if rules[number].last != rule { rules[number].append(rule) }
            return
        }
        tokens.append(token)
        rules.append([rule])
        if tokens.count * 2 > slots.count {
            slots = [UInt32](repeating: 0, count: max(16, slots.count * 4))
            for number in tokens.indices { enter(number) }
        } else {
            enter(tokens.count - 1)
        }
    }

    private mutating func enter(_ number: Int) {
        var slot = Int(truncatingIfNeeded: tokens[number].hash(key)) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(number + 1)
    }
}
