/// The ids that the server generates for pushes. Each depends only on the seed and the request's sequence number, so it
/// does not depend on anything that happened earlier.
package struct GeneratedIDs {
    /// The purpose of an id.
    enum Kind: UInt64, CaseIterable {
        case apnsID
        case uniqueID
    }

    let seed: UInt64

    /// Creates the ids of a run.
    package init(seed: UInt64) { self.seed = seed }

    /// Returns the id of a request. Ids are unique within a run.
    @inline(__always)
    func id(_ kind: Kind, ofRequest sequence: Int) -> MadeID {
        // Each request takes four words of the seed's sequence. The first four are the state of the random number
        // generator.
        let position = 4 &* UInt64(truncatingIfNeeded: sequence) &+ 2 &* kind.rawValue
        var words = SplitMix64(seed: seed, skipping: position)
        return MadeID(high: words.next(), low: words.next())
    }
}
