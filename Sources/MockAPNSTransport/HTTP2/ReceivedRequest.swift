/// A received request: header fields and body in one flat sequence of bytes.
///
/// The bytes are a block of header fields (each with the lengths of name and value as little-endian `UInt16`, then name
/// and value; pseudo-header fields with their colon, in the order of arrival), followed by the stored part of the body.
/// Requests are pooled: one is valid until ``HTTP2Session/recycleRequests()``, after which its bytes belong to another.
@safe
package final class ReceivedRequest {
    /// Why a request is not an ordinary one.
    package enum Fault: Sendable, Equatable {
        /// The header list exceeds MAX_HEADER_LIST_SIZE; the session has answered 431.
        case headerListTooLarge
        /// One stream more than MAX_CONCURRENT_STREAMS; the session has sent RST_STREAM with REFUSED_STREAM.
        case refused
        /// Invalid HTTP (RFC 9113, section 8.1.1), with the reason; the stream was reset or the connection ended.
        case malformed(String)
        /// The client reset the stream, or the connection ended, before the request was complete.
        case cancelled
        /// The client broke HTTP/2 in this way before the request was complete, or by it; the connection ended.
        case broken(ProtocolFault)
    }

    /// State that changes while the request arrives. Behind computed properties, the compiler sees all writes and omits
    /// the checks for exclusive access.
    struct State {
        var streamID: Int32 = 0
        var headerLength = 0
        var bodyLength = 0
        var openStreams = 0
        /// The sum of name, value and 32 over all header fields (RFC 9113, section 6.5.2).
        var headerListSize = 0
        var hasRegularField = false
        var hasFault = false
        /// Whether the client may wait for 100 before it sends the body (RFC 9110, section 10.1.1).
        var expectsContinue = false
    }

    var state = State()
    private var storedFault: Fault?

    /// The stream of the request.
    package var streamID: Int32 { state.streamID }

    /// The number of header bytes; the body follows.
    package var headerLength: Int { state.headerLength }

    /// The number of body bytes received, including those not stored.
    package var bodyLength: Int { state.bodyLength }

    /// The number of open streams when this one was opened, including itself.
    package var openStreams: Int { state.openStreams }

    /// The sum of name, value and 32 over all header fields, including those not stored (RFC 9113, section 6.5.2).
    package var headerListSize: Int { state.headerListSize }

    /// Why this is not an ordinary request; `nil` for one to be answered, and for any on an ignored stream
    /// (``HTTP2Session/ignoreStreams(above:)``).
    package internal(set) var fault: Fault? {
        get { state.hasFault ? storedFault : nil }
        set {
            state.hasFault = newValue != nil
            storedFault = newValue
        }
    }

    private var storage: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    private static let initialCapacity = 1024
    private static let pooledCapacity = 4096
    /// A header list of 8000 bytes and the stored part of a body.
    private static let usualLimit = 13_312

    init() {
        capacity = Self.initialCapacity
        unsafe storage = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
    }

    deinit {
        unsafe storage.deallocate()
    }

    /// The header fields and the stored body.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = unsafe Span<UInt8>(_unsafeStart: storage.assumingMemoryBound(to: UInt8.self), count: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Prepares it for another stream; a buffer that has grown large is released.
    func reset() {
        count = 0
        if state.hasFault { storedFault = nil }
        state = State()
        guard capacity > Self.pooledCapacity else { return }
        unsafe storage.deallocate()
        capacity = Self.initialCapacity
        unsafe storage = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
    }

    @inline(__always)
    func appendField(_ name: UnsafeRawPointer, _ nameLength: Int, _ value: UnsafeRawPointer, _ valueLength: Int) {
        let end = count + 4 + nameLength + valueLength
        if end > capacity { grow(to: end) }
        let field = unsafe storage + count
        let lengths = UInt32(truncatingIfNeeded: nameLength | valueLength << 16)
        unsafe field.storeBytes(of: lengths.littleEndian, as: UInt32.self)
        unsafe (field + 4).copyMemory(from: name, byteCount: nameLength)
        unsafe (field + 4 + nameLength).copyMemory(from: value, byteCount: valueLength)
        count = end
        state.headerLength = end
    }

    @inline(__always)
    func appendBody(_ bytes: UnsafeRawPointer, _ length: Int, limit: Int) {
        let stored = min(length, max(0, limit - (count - headerLength)))
        state.bodyLength += length
        guard stored > 0 else { return }
        if count + stored > capacity { grow(to: count + stored) }
        unsafe (storage + count).copyMemory(from: bytes, byteCount: stored)
        count += stored
    }

    /// Whether the method is `CONNECT`. The only other pseudo-header field of such a request is `:authority`.
    var asksForTunnel: Bool {
        let bytes = bytes
        var start = 0
        for _ in 0..<2 where start + 4 <= headerLength {
            let name = start + 4..<start + 4 + Int(bytes[start]) + Int(bytes[start + 1]) << 8
            let value = name.upperBound..<name.upperBound + Int(bytes[start + 2]) + Int(bytes[start + 3]) << 8
            start = value.upperBound
            if name.count == 7, bytes[name.lowerBound + 1] == UInt8(ascii: "m") {
                // Methods are case-sensitive (RFC 9110, section 9.1).
                return value.count == 7 && value.map { bytes[$0] } == Array("CONNECT".utf8)
            }
        }
        return false
    }

    /// Whether it has `:authority` or `host`.
    var namesHost: Bool {
        let bytes = bytes
        var start = 0
        while start + 4 <= headerLength {
            let name = start + 4..<start + 4 + Int(bytes[start]) + Int(bytes[start + 1]) << 8
            start = name.upperBound + Int(bytes[start + 2]) + Int(bytes[start + 3]) << 8
            if name.count == 4 || name.count == 10,
                name.elementsEqual(name.count == 4 ? Self.host : Self.authority, by: { bytes[$0] == $1 })
            {
                return true
            }
        }
        return false
    }

    private static let host = Array("host".utf8)
    private static let authority = Array(":authority".utf8)

    private func grow(to needed: Int) {
        // By half, and no more than any request needs: a thousand half-sent streams should stay small.
        capacity = max(needed, min(capacity + capacity / 2, Self.usualLimit))
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
        unsafe larger.copyMemory(from: storage, byteCount: count)
        unsafe storage.deallocate()
        unsafe storage = larger
    }
}

/// Requests for reuse, shared by the sessions of one event loop; not `Sendable`.
package final class RequestPool {
    private var free: [ReceivedRequest] = []
    private let limit: Int

    /// Creates an empty pool.
    ///
    /// - Parameter limit: the maximum number of requests kept; each takes about a kilobyte, at most four.
    package init(limit: Int = 512) {
        self.limit = limit
    }

    func take(stream: Int32) -> ReceivedRequest {
        let request = free.popLast() ?? ReceivedRequest()
        request.state.streamID = stream
        return request
    }

    /// Returns answered requests to the pool.
    func giveBack(_ requests: inout [ReceivedRequest]) { Self.move(&requests, to: &free, upTo: limit) }

    private static func move(
        _ requests: inout [ReceivedRequest], to free: inout [ReceivedRequest], upTo limit: Int
    ) {
        // One by one, so that each can be checked to be uniquely referenced: a holder of a reference keeps the request.
        while var request = requests.popLast() {
            guard free.count < limit, isKnownUniquelyReferenced(&request) else { continue }
            request.reset()
            free.append(request)
        }
    }
}
