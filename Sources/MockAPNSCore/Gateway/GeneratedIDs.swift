/// The ids that the server gives to pushes. Each follows from the seed and the sequence number of its request alone, so it
/// is the same whatever else happened before.
struct GeneratedIDs {
    /// What an id is for.
    enum Kind: UInt64, CaseIterable {
        case apnsID
        case uniqueID
    }

    let seed: UInt64

    /// The id of a request. No two in a run are the same.
    @inline(__always)
    func id(_ kind: Kind, ofRequest sequence: Int) -> RequestRecord.MadeID {
        // Each request has four words of the seed's sequence. Random numbers begin with the first four.
        let position = 4 * UInt64(truncatingIfNeeded: sequence) + 2 * kind.rawValue
        var words = SplitMix64(seed: seed, skipping: position)
        return RequestRecord.MadeID(high: words.next(), low: words.next())
    }
}
