import MockAPNSCore
import MockAPNSTransport

/// The buffers that the connections of one event loop share, since only one of them runs at a time: so an idle connection
/// holds none, and a busy one allocates none.
final class LoopScratch {
    /// How much plaintext is taken from TLS before HTTP/2 reads it: one full record.
    static let plaintextSize = 16_384

    /// How much leaves in one TLS record, at most.
    static let recordSize = 16_384

    var plaintext: [UInt8] = []
    var output: [UInt8] = []
    let rounds = LoopRounds()
    var parsed: [ParsedRequest] = []
    var decisions: [Decision] = []
    var fields = FieldBlock()
    let requests = RequestPool()

    init() {
        plaintext.reserveCapacity(Self.plaintextSize)
        output.reserveCapacity(2 * Self.recordSize)
    }
}
