import MockAPNSCore

/// The latest values by hash: when the table is full, the oldest gives way.
///
/// So the memory for a run has a bound, whatever its length. A dropped value leaves no trace.
struct RecentTable<Value: Sendable>: Sendable {
    /// Maximum number of values, unless less is wanted.
    static var usualLimit: Int { 131_072 }

    private let limit: Int
    private var indices: [UInt64: Int32] = [:]
    private var entries: [(key: UInt64, value: Value)] = []
    /// Entries of values that were removed.
    private var free: [Int32] = []
    /// The next entry to give way.
    private var oldest = 0

    init(limit: Int = usualLimit) { self.limit = limit }

    /// Whether there are no values.
    var isEmpty: Bool { indices.isEmpty }

    /// The value of a key.
    subscript(key: UInt64) -> Value? { indices[key].map { entries[Int($0)].value } }

    /// Changes the value of a key, if it has one.
    @inline(__always)
    mutating func update(_ key: UInt64, _ change: (inout Value) -> Void) -> Bool {
        guard let index = indices[key] else { return false }
        change(&entries[Int(index)].value)
        return true
    }

    /// Sets the value of a key.
    ///
    /// - Returns: the value that had to give way, if any.
    @discardableResult
    mutating func insert(_ value: Value, for key: UInt64) -> Value? {
        if let index = indices[key] {
            entries[Int(index)].value = value
            return nil
        }
        if let index = free.popLast() {
            entries[Int(index)] = (key, value)
            indices[key] = index
            return nil
        }
        guard entries.count == limit else {
            indices[key] = Int32(entries.count)
            entries.append((key, value))
            return nil
        }
        let evicted = entries[oldest]
        indices[evicted.key] = nil
        entries[oldest] = (key, value)
        indices[key] = Int32(oldest)
        oldest = (oldest + 1) % limit
        return evicted.value
    }

    /// Removes the value of a key.
    mutating func remove(_ key: UInt64) {
        if let index = indices.removeValue(forKey: key) { free.append(index) }
    }

    /// Calls `body` with each value, roughly in the order in which they came.
    func forEach(_ body: (Value) -> Void) {
        let unused = Set(free)
        for offset in entries.indices {
            let index = (oldest + offset) % entries.count
            if !unused.contains(Int32(index)) { body(entries[index].value) }
        }
    }
}
