import MockAPNSCore

/// An entry of the control stream, and the latest one that was carried out: without them, and with nothing but later
/// ones, the engine has dropped them, as it does with old ones; else it has lost the stream or its end, as after a restart
/// without a file or with an old one.
struct StreamLossDetector: Sendable {
    /// The presence of both entries in the engine.
    struct Observation: Sendable {
        let id: StreamID
        /// Whether both entries are there, or were dropped.
        let isThere: Bool
        /// The latest entry of the stream.
        let last: StreamID
    }

    /// Why a member is not ready then, as a sentence without a full stop.
    static let loss =
        "the engine has lost what the fleet had agreed on, as after a restart without a file; \(APICall.reset) on the collector starts everything over"

    /// The id of the entry; zero for none.
    let id: StreamID
    /// Whether the engine has lost entries.
    private(set) var isLost: Bool
    /// An entry that was carried out since.
    fileprivate var reached = StreamID.zero
    /// The latest entry when one was first not there. One of them may have started everything over.
    private var suspected: StreamID?

    /// Whether an entry is missing for a reason not yet known.
    var isInDoubt: Bool { suspected != nil && !isLost }

    /// Whether it was seen here that entries are lost, so that the others are to be told.
    var mustBeReported: Bool { suspected != nil && isLost }

    init(_ id: StreamID = .zero, isLost: Bool = false) { (self.id, self.isLost) = (id, isLost) }

    /// Looks for this entry, too, from now on.
    ///
    /// - Parameter applied: the latest entry that was carried out.
    mutating func reach(_ applied: StreamID) { reached = applied }

    /// Notes what the engine has.
    ///
    /// - Parameter applied: the latest entry that was carried out.
    mutating func note(_ observation: Observation, applied: StreamID) {
        guard observation.id == id, id != .zero else { return }
        if suspected == nil, !observation.isThere { suspected = observation.last }
        guard let suspected else { return reach(applied) }
        if applied >= suspected { isLost = true }
    }

    /// Notes that another member has seen that entries are lost.
    mutating func noteLoss() { isLost = true }
}

extension FleetLink {
    /// Returns what the engine has of an entry, and of the latest one that was carried out.
    func look(for anchor: StreamLossDetector, in stream: String) async throws(FleetError)
        -> StreamLossDetector.Observation
    {
        var isThere = try await hasKept(anchor.id, in: stream)
        if isThere, anchor.reached > anchor.id { isThere = try await hasKept(anchor.reached, in: stream) }
        return StreamLossDetector.Observation(
            id: anchor.id, isThere: isThere, last: isThere ? anchor.id : try await lastID(of: stream))
    }

    /// Returns whether an entry is there, or was dropped: a stream that was lost begins anew, with earlier ones.
    private func hasKept(_ id: StreamID, in stream: String) async throws(FleetError) -> Bool {
        if try await read([(stream, id.previous)], count: 1, within: 0).first?.entries.first?.id == id { return true }
        // In this order, since it may be dropped meanwhile.
        return try await firstID(of: stream) > id
    }
}
