import MockAPNSCore

/// An entry that stays in the control stream until everything starts over: without it, the engine has lost the stream,
/// as after a restart without a file.
struct ControlAnchor: Sendable {
    /// What the engine has of it.
    struct Sight: Sendable {
        let id: StreamID
        let isThere: Bool
        /// The latest entry of the stream.
        let last: StreamID
    }

    /// Why a member is not ready then, as a sentence without a full stop.
    static let loss =
        "the engine has lost what the fleet had agreed on, as after a restart without a file; POST /api/v1/reset starts everything over"

    /// The id of the entry; zero for none.
    let id: StreamID
    /// Whether the engine has lost the stream.
    private(set) var isLost: Bool
    /// The latest entry when this one was first not there. One of them may have started everything over.
    private var suspected: StreamID?

    /// Whether it is not there, and nobody knows yet why.
    var isInDoubt: Bool { suspected != nil && !isLost }

    init(_ id: StreamID = .zero, isLost: Bool = false) { (self.id, self.isLost) = (id, isLost) }

    /// Notes what the engine has.
    ///
    /// - Parameter applied: the latest entry that was carried out.
    mutating func note(_ sight: Sight, applied: StreamID) {
        guard sight.id == id, id != .zero else { return }
        guard !sight.isThere else { return suspected = nil }
        let last = suspected ?? sight.last
        suspected = last
        if applied >= last { isLost = true }
    }
}

extension FleetLink {
    /// Returns what the engine has of an entry.
    func look(for anchor: ControlAnchor, in stream: String) async throws(FleetError) -> ControlAnchor.Sight {
        let found = try await read([(stream, anchor.id.previous)], count: 1, within: 0)
        let isThere = found.first?.entries.first?.id == anchor.id
        return ControlAnchor.Sight(
            id: anchor.id, isThere: isThere, last: isThere ? anchor.id : try await lastID(of: stream))
    }
}
