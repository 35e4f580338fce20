package import MockAPNSCore

/// How far a driver has got with a workload: which pushes may begin, and which have an answer.
///
/// It has no clock. Times are milliseconds of any clock that never goes back.
///
/// ```swift
/// var progress = WorkloadProgress(scenario.workload)
/// for push in progress.begin(at: now) { send(push) }
/// progress.answer("1")
/// ```
package struct WorkloadProgress: Sendable {
    /// A push to hand to the driver now.
    package struct BegunPush: Sendable, Hashable {
        /// Its id: `1` for the first push of the workload.
        package let id: String
        /// The index of its entry.
        package let entry: Int
    }

    /// The meaning of an answer for its push.
    package enum Answer: Sendable, Hashable {
        case accepted
        /// Its push has an answer already.
        case repeated
        /// No push with this id has begun.
        case unknown
    }

    private let entries: [WorkloadEntry]
    /// Pushes of each entry without an answer.
    private var open: [Int]
    /// The entry of each push that has begun, and whether it has an answer.
    private var begun: [(entry: Int, isAnswered: Bool)] = []
    /// The first entry that has not begun.
    private var next = 0
    /// Since when the next entry only waits for time to pass; `nil` if it waits for something else, or there is none.
    private var readySince: Int64?

    /// Number of pushes that have begun and have no answer.
    package private(set) var unanswered = 0

    /// Nothing of the workload has begun.
    package init(_ entries: [WorkloadEntry]) {
        self.entries = entries
        open = entries.map(\.times)
    }

    /// Whether all pushes have an answer.
    package var isDone: Bool { next == entries.count && unanswered == 0 }

    /// The ids of the pushes without an answer.
    package var unansweredIDs: [String] {
        begun.indices.filter { !begun[$0].isAnswered }.map { String($0 + 1) }
    }

    /// When to call ``begin(at:)`` again although no answer has come; `nil` if only an answer can help, or nothing is
    /// left to begin.
    package var nextTime: Int64? {
        readySince.map { $0 + entries[next].wait }
    }

    /// Begins all entries that may begin, in order, and returns their pushes.
    package mutating func begin(at now: Int64) -> [BegunPush] {
        var pushes: [BegunPush] = []
        while next < entries.count, isMet(entries[next].after) {
            let since = readySince ?? now
            readySince = since
            guard now >= since + entries[next].wait else { break }
            for _ in 0..<entries[next].times {
                begun.append((next, false))
                pushes.append(BegunPush(id: String(begun.count), entry: next))
            }
            unanswered += entries[next].times
            next += 1
            readySince = nil
        }
        return pushes
    }

    /// Returns the index of the entry that a push belongs to; `nil` for one that has not begun.
    package func entry(of id: String) -> Int? {
        guard let number = Int(id), begun.indices.contains(number - 1) else { return nil }
        return begun[number - 1].entry
    }

    /// Takes note of the answer to a push.
    @discardableResult
    package mutating func answer(_ id: String) -> Answer {
        guard let number = Int(id), number > 0, number <= begun.count, String(number) == id else { return .unknown }
        guard !begun[number - 1].isAnswered else { return .repeated }
        begun[number - 1].isAnswered = true
        open[begun[number - 1].entry] -= 1
        unanswered -= 1
        return .accepted
    }

    private func isMet(_ prerequisite: WorkloadEntry.Prerequisite) -> Bool {
        switch prerequisite {
        case .nothing: true
        case .entries(let indices): indices.allSatisfy { open[$0] == 0 }
        case .all: unanswered == 0
        }
    }
}
