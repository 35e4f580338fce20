/// The part of a record that may change after its request was decided and that a MATCH can test.
struct RecordState: Sendable, Hashable {
    var outcome: Outcome
    var delivery: Delivery?
    /// Whether another push replaced it in storage: it will never be delivered.
    var isReplaced: Bool

    init(_ record: borrowing RequestRecord) {
        outcome = record.outcome
        delivery = record.delivery
        isReplaced = record.replacedBy != nil
    }

    /// Whether nothing will change any more.
    var isFinal: Bool { outcome != .delayed && (isReplaced || delivery?.isFinal ?? true) }

    mutating func apply(_ update: RequestUpdate) {
        if let outcome = update.outcome { self.outcome = outcome }
        if let delivery = update.delivery { self.delivery = delivery }
        if update.replacedBy != nil { isReplaced = true }
    }
}

/// The conditions of a MATCH on ``RecordState``.
struct StateTest: Sendable, Hashable {
    /// The bit that stands for absence.
    static let absence: UInt64 = 1 << 63

    /// The accepted values, as bits by code, and ``absence``.
    var outcomes = UInt64.max
    var deliveries = UInt64.max

    /// Whether there are any conditions.
    var asks: Bool { outcomes != .max || deliveries != .max }

    func holds(for state: RecordState) -> Bool {
        outcomes & 1 << UInt64(state.outcome.code) != 0
            && deliveries & (state.delivery.map { 1 << UInt64($0.code) } ?? Self.absence) != 0
    }
}
