import MockAPNSCore
import MockAPNSTransport

/// The buffers shared by the connections of one event loop, since only one of them runs at a time: an idle connection
/// holds none, and a busy one allocates none.
final class LoopScratch {
    /// The amount of plaintext taken from TLS before HTTP/2 reads it: one full record.
    static let plaintextSize = 16_384

    /// Maximum number of bytes sent in one TLS record.
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
