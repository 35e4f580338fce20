/// The memory that nghttp2's callbacks write to while it reads, and that ``HTTP2Session`` acts on afterwards.
///
/// It has its own memory, because the callbacks get its address: nothing in it is accessed through a class reference.
@safe
struct SessionIntake: ~Copyable {
    let settings: HTTP2Session.Settings
    let pool: RequestPool
    var streams = StreamTable()
    var limit: StreamLimit
    /// The request whose header fields are arriving; owned by the stream table.
    var current: Unmanaged<ReceivedRequest>?

    var requests: [ReceivedRequest] = []
    /// The answer fields that nghttp2 does not write.
    var unindexed = UnindexedFields()
    /// The data of PING frames received during the last read.
    var pings: [(UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)] = []
    var cancelledStreams: [(stream: Int32, errorCode: UInt32)] = []
    var refused: [(stream: Int32, isEnded: Bool)] = []
    var tooLarge: [Int32] = []
    var ignored: [Int32] = []
    /// Streams whose client may wait for 100 before it sends the body.
    var expectant: [Int32] = []
    /// A pseudo-header field after a regular one: APNs ends the connection where nghttp2 resets the stream.
    var misplacedPseudoField: (stream: Int32, name: String)?
    /// The last frame of this read that nghttp2 did not take, on a stream or at all.
    var invalidFrame: (type: UInt8, stream: Int32)?
    private static let refusedWithFields = 1000
    /// nghttp2's last error message.
    var errorText = ""

    /// Body bytes on all streams not yet reported to nghttp2 as consumed.
    var unconsumed = 0
    var toConsume: [Int32] = []
    /// The number of body bytes per stream collected before they are reported to nghttp2: a quarter of the window, and
    /// no more than that of the usual one.
    let consumedAtOnce: Int32

    /// The trailers of answers not sent yet.
    var trailers: [Int32: FieldBlock] = [:]
    /// Streams whose last DATA frame has been written, but not their trailers.
    var trailersDue: [Int32] = []

    /// HEADERS frames that nghttp2 did not send, with its error codes.
    var unsentHeaders: [(stream: Int32, code: Int32)] = []

    /// Streams that are neither refused nor ignored.
    var openStreams = 0
    var ignoredStreams = 0
    var highestStream: Int32 = 0
    private var lastAnsweredStream = Int32.max
    var counters = HTTP2Session.Counters()

    /// Closed streams that were ended by the client: a frame on one of them is a connection error.
    private var recentlyClosed = SIMD32<Int32>(repeating: 0)
    private var closedCount = 0

    init(settings: HTTP2Session.Settings, pool: RequestPool) {
        self.settings = settings
        self.pool = pool
        limit = StreamLimit(settings.maxConcurrentStreams)
        consumedAtOnce = Int32(max(1, min(settings.initialWindowSize / 4, 16_384)))
    }

    mutating func beginStream(_ id: Int32) {
        if !errorText.isEmpty { errorText = "" }
        let isIgnored = ignores(id)
        let isAllowed = limit.allows(open: openStreams + ignoredStreams)
        highestStream = max(highestStream, id)
        let request = pool.take(stream: id)
        unsafe current = Unmanaged.passUnretained(request)
        let stream = unsafe streams.insert(id)
        if !isAllowed {
            unsafe stream.pointee.phase = .refused
            request.fault = .refused
            // A flood of them must not fill memory with their fields.
            if requests.count >= Self.refusedWithFields { unsafe current = nil }
        } else if isIgnored {
            unsafe stream.pointee.isIgnored = true
            ignoredStreams += 1
        } else {
            openStreams += 1
        }
        // Refused and ignored streams are not among the open ones, but count themselves.
        request.state.openStreams = openStreams + (isAllowed && !isIgnored ? 0 : 1)
        unsafe stream.pointee.request = request
    }

    /// Handles the end of a request's header block.
    mutating func endHeaders(_ id: Int32, isEnded: Bool) {
        unsafe current = nil
        guard let stream = unsafe streams.find(id), unsafe stream.pointee.request != nil else { return }
        if unsafe stream.pointee.phase == .refused {
            unsafe stream.pointee.isEndedByPeer = isEnded
            refused.append((id, isEnded))
            unsafe handOver(stream)
        } else if unsafe stream.pointee.request?.fault == .headerListTooLarge {
            unsafe stream.pointee.isEndedByPeer = isEnded
            unsafe stream.pointee.phase = .waiting
            tooLarge.append(id)
            unsafe handOver(stream)
        } else if isEnded {
            unsafe endRequest(stream)
        } else if unsafe stream.pointee.request?.asksForTunnel == true {
            // Anything that follows belongs to the tunnel (RFC 9113, section 8.5): the request is complete.
            unsafe stream.pointee.isTunnel = true
            unsafe completeRequest(stream)
        } else if unsafe stream.pointee.request?.state.expectsContinue == true {
            expectant.append(id)
        }
    }

    /// Returns the streams on which the client waits for 100: those that are read, and whose body has not begun.
    mutating func takeExpectant() -> [Int32] {
        defer { expectant = [] }
        return expectant.filter { id in
            guard let stream = unsafe streams.find(id), let request = unsafe stream.pointee.request else {
                return false
            }
            return unsafe stream.pointee.phase == .receiving && !stream.pointee.isIgnored && request.bodyLength == 0
        }
    }

    /// Handles END_STREAM from the client.
    mutating func endRequest(_ stream: UnsafeMutablePointer<OpenStream>) {
        unsafe stream.pointee.isEndedByPeer = true
        unsafe completeRequest(stream)
    }

    /// Completes the request.
    private mutating func completeRequest(_ stream: UnsafeMutablePointer<OpenStream>) {
        guard unsafe stream.pointee.phase == .receiving else { return }
        unsafe stream.pointee.phase = .waiting
        if unsafe stream.pointee.isIgnored { unsafe ignored.append(stream.pointee.id) }
        unsafe handOver(stream)
    }

    /// Returns whether a stream is above the last one that is answered.
    func ignores(_ stream: Int32) -> Bool { stream > lastAnsweredStream }

    /// Drops streams that the client has opened above this one, and answers none above it any more.
    mutating func ignoreStreams(above last: Int32) {
        lastAnsweredStream = min(lastAnsweredStream, last)
        var above: [Int32] = []
        unsafe streams.forEach {
            guard unsafe $0.pointee.id > last, unsafe !$0.pointee.isIgnored else { return }
            if unsafe $0.pointee.phase == .receiving || $0.pointee.phase == .waiting {
                unsafe above.append($0.pointee.id)
            }
        }
        for id in above {
            guard let stream = unsafe streams.find(id) else { continue }
            unsafe stream.pointee.isIgnored = true
            openStreams -= 1
            ignoredStreams += 1
            if unsafe stream.pointee.phase == .waiting { ignored.append(id) }
            // It is not answered with 431.
            if let request = unsafe stream.pointee.request, request.fault == .headerListTooLarge { request.fault = nil }
        }
    }

    mutating func closeStream(_ id: Int32, errorCode: UInt32) {
        guard let stream = unsafe streams.find(id) else { return }
        if unsafe stream.pointee.phase == .receiving {
            unsafe abandon(stream, errorCode: errorCode)
        } else if unsafe stream.pointee.phase == .waiting && stream.pointee.isResetByPeer && !stream.pointee.isIgnored {
            cancelledStreams.append((id, errorCode))
        }
        if unsafe stream.pointee.isIgnored {
            ignoredStreams -= 1
        } else if unsafe stream.pointee.phase != .refused {
            openStreams -= 1
        }
        if unsafe stream.pointee.isEndedByPeer && stream.pointee.phase != .refused {
            recentlyClosed[closedCount & 31] = id
            closedCount &+= 1
        }
        if !trailers.isEmpty { trailers[id] = nil }
        unsafe streams.remove(stream)
    }

    /// Returns whether this stream was ended by the client and has been closed since, as far as is remembered.
    func isClosedByPeer(_ id: Int32) -> Bool {
        guard id > 0, id <= highestStream, unsafe streams.find(id) == nil else { return false }
        return any(recentlyClosed .== id)
    }

    /// Hands over a request that will never be complete.
    private mutating func abandon(_ stream: UnsafeMutablePointer<OpenStream>, errorCode: UInt32) {
        guard let request = unsafe stream.pointee.request else { return }
        unsafe stream.pointee.phase = .waiting
        if request.fault == nil, unsafe !stream.pointee.isIgnored {
            request.fault = unsafe stream.pointee.isResetByPeer ? .cancelled : .malformed(request.bodyError(errorCode))
        }
        unsafe handOver(stream)
    }

    /// Ends the connection: incomplete requests are handed over as canceled, or as broken by the fault that ended it.
    mutating func abandonAll(_ fault: ProtocolFault?) {
        unsafe current = nil
        var unfinished: [Int32] = []
        unsafe streams.forEach {
            if unsafe $0.pointee.phase == .receiving { unsafe unfinished.append($0.pointee.id) }
        }
        for id in unfinished.sorted() {
            guard let stream = unsafe streams.find(id) else { continue }
            unsafe stream.pointee.isResetByPeer = true
            if let fault, let request = unsafe stream.pointee.request { request.fault = .broken(fault) }
            unsafe abandon(stream, errorCode: 0)
        }
    }

    private mutating func handOver(_ stream: UnsafeMutablePointer<OpenStream>) {
        guard let request = unsafe stream.pointee.request.take() else { return }
        requests.append(request)
        counters.requests += 1
    }
}

extension ReceivedRequest {
    /// Returns why nghttp2 reset the stream without giving a reason.
    fileprivate func bodyError(_ errorCode: UInt32) -> String {
        var fields = 0
        while fields + 4 <= headerLength {
            let nameLength = Int(bytes[fields]) | Int(bytes[fields + 1]) << 8
            let valueLength = Int(bytes[fields + 2]) | Int(bytes[fields + 3]) << 8
            let name = fields + 4..<fields + 4 + nameLength
            fields = name.upperBound + valueLength
            if text(name) == "content-length" {
                return "content-length is \(text(name.upperBound..<fields)), the body has \(bodyLength) bytes or more"
            }
        }
        return "The stream was reset with error code \(errorCode)."
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: range.map { bytes[$0] }, as: UTF8.self)
    }
}
