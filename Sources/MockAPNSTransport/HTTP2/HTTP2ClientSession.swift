internal import CMockNGHTTP2

/// The client side of an HTTP/2 connection: requests in, plaintext out; plaintext in, answers out.
///
/// It passes on what others have written: a request and an answer are flat blocks of bytes, as in ``ReceivedRequest``.
/// It belongs to one event loop; it is not `Sendable`. As in ``HTTP2Session``, callbacks only write down what has
/// arrived, and nothing calls nghttp2 from inside one.
@safe
package final class HTTP2ClientSession {
    /// The answer to a request.
    package struct Answer: Sendable {
        /// The stream.
        package var stream: Int32
        /// The header fields of the final answer as one flat block, `:status` first, and then its trailers.
        package var fields = FieldBlock()
        /// The body.
        package var body: [UInt8] = []
        /// `:status`; 0 before it has arrived.
        package var status = 0
    }

    /// What the server has done, in order.
    package enum Event: Sendable {
        /// It has answered a request.
        case answer(Answer)
        /// The stream has ended without an answer, by RST_STREAM with this error code (RFC 9113, section 7), or because
        /// the connection takes it no more.
        case reset(stream: Int32, errorCode: UInt32)
        /// The answer was given up: it has more than ``HTTP2ClientSession/answerLimit`` bytes.
        case tooLong(stream: Int32)
        /// The answer was given up: it breaks a rule of HTTP (RFC 9113, section 8.1.1).
        case malformed(stream: Int32)
        /// It has sent GOAWAY: streams above the last one are not processed.
        case goAway(lastStream: Int32, errorCode: UInt32, debugData: [UInt8])
        /// It allows as many streams at a time; ``HTTP2ClientSession/noLimit`` if its first SETTINGS name no limit.
        case streamLimit(Int)
    }

    /// Maximum number of bytes of an answer's header fields, each with 32 more, and of its body. What is longer is reset.
    package static let answerLimit = 65_536

    /// The stream limit of a server that has none (RFC 9113, section 6.5.2).
    package static let noLimit = Int(UInt32.max)

    /// A request and its answer, until the stream closes.
    fileprivate struct Exchange {
        var answer = Answer(stream: 0)
        var body: ArraySlice<UInt8> = []
        /// The fields that nghttp2 is not given, as they go into the HEADERS frame.
        var literals: [UInt8] = []
        /// How many bytes of ``body`` are sent.
        var sent = 0
        /// The bytes of the answer, as ``answerLimit`` counts them.
        var size = 0
        /// Whether the server has sent RST_STREAM.
        var isReset = false
        /// Whether nothing more is expected: the answer is complete or given up, or the place is free.
        var isOver = false
    }

    /// What nghttp2's callbacks write to. It has its own memory, because they get its address.
    fileprivate struct Intake {
        /// Those of open streams, among free places. nghttp2 keeps each stream's place, plus one.
        var exchanges: [Exchange] = []
        var freePlaces: [Int] = []
        var events: [Event] = []
        /// Streams to reset: their answers are too long, or were complete before the request was sent.
        var excessive: [Int32] = []
        /// Whether the server's first SETTINGS have arrived.
        var hasSettings = false
    }

    private let session: OpaquePointer
    /// The fields of a request, for nghttp2; kept for the next.
    private var fields = unsafe [nghttp2_nv]()
    private let intake: UnsafeMutablePointer<Intake>
    /// Whether the server has broken HTTP/2, or ended the connection: nothing more is received.
    package private(set) var isFailed = false
    private var hasLeft = false

    /// The number of requests without an answer.
    package var openStreams: Int { unsafe intake.pointee.exchanges.count { !$0.isOver } }

    /// Creates a session with its preface and SETTINGS ready to send. The server may push nothing.
    package init() {
        unsafe intake = .allocate(capacity: 1)
        unsafe intake.initialize(to: Intake())
        var handle: OpaquePointer?
        let result = unsafe nghttp2_session_client_new2(&handle, Self.callbacks, intake, Self.options)
        guard result == 0, let handle = unsafe handle else { fatalError("nghttp2: out of memory") }
        unsafe session = unsafe handle
        let entries = [
            nghttp2_settings_entry(settings_id: 2, value: 0),
            nghttp2_settings_entry(settings_id: 6, value: UInt32(Self.answerLimit)),
        ]
        unsafe nghttp2_submit_settings(session, 0, entries, entries.count)
    }

    deinit {
        unsafe nghttp2_session_del(session)
        unsafe intake.deinitialize(count: 1)
        unsafe intake.deallocate()
    }

    // MARK: Output

    /// Queues a request. Beyond the server's limit of streams, nghttp2 keeps it until another has its answer.
    ///
    /// - Parameters:
    ///   - fields: the block of header fields, pseudo-header fields first.
    ///   - body: if it is empty, HEADERS ends the stream.
    /// - Returns: the stream; `nil` if the connection takes no more requests, as after a GOAWAY.
    package func submit(_ fields: Span<UInt8>, body: ArraySlice<UInt8>) -> Int32? {
        // After a GOAWAY, nghttp2 would take it all the same, and give it up when it comes to be written.
        guard unsafe nghttp2_session_check_request_allowed(session) != 0 else { return nil }
        let place = unsafe intake.pointee.takePlace()
        let stream = unsafe fields.withUnsafeBufferPointer { bytes in
            unsafe submit(bytes, hasBody: !body.isEmpty, place)
        }
        guard stream > 0 else {
            unsafe intake.pointee.free(place)
            return nil
        }
        unsafe intake.pointee.exchanges[place].answer.stream = stream
        unsafe intake.pointee.exchanges[place].body = body
        return stream
    }

    private func submit(_ bytes: UnsafeBufferPointer<UInt8>, hasBody: Bool, _ place: Int) -> Int32 {
        guard let start = bytes.baseAddress else { return NGHTTP2_ERR_INVALID_ARGUMENT.rawValue }
        var fields = unsafe self.fields
        unsafe self.fields = []
        defer {
            unsafe fields.removeAll(keepingCapacity: true)
            unsafe self.fields = fields
        }
        // nghttp2 copies the fields and does not write to them.
        var field = unsafe UnsafeMutablePointer(mutating: start)
        let end = unsafe field + bytes.count
        while unsafe field + 4 <= end {
            let nameLength = unsafe Int(field[0]) | Int(field[1]) << 8
            let valueLength = unsafe Int(field[2]) | Int(field[3]) << 8
            let name = unsafe field + 4
            if bytes.count <= Self.oneFrame, unsafe Self.isAuthorization(name, nameLength) {
                let value = unsafe UnsafeBufferPointer(start: name + nameLength, count: valueLength)
                unsafe intake.pointee.exchanges[place].addAuthorization(value)
            } else {
                unsafe fields.append(
                    nghttp2_nv(
                        name: name, value: name + nameLength, namelen: nameLength, valuelen: valueLength, flags: 0))
            }
            unsafe field = name + nameLength + valueLength
        }
        let mark = unsafe UnsafeMutableRawPointer(bitPattern: place + 1)
        guard hasBody else { return unsafe nghttp2_submit_request(session, nil, fields, fields.count, nil, mark) }
        var provider = unsafe nghttp2_data_provider(source: .init(fd: 0), read_callback: Self.readBody)
        return unsafe nghttp2_submit_request(session, nil, fields, fields.count, &provider, mark)
    }

    /// The largest block whose fields are in one frame for certain.
    private static let oneFrame = 4096

    private static func isAuthorization(_ name: UnsafePointer<UInt8>, _ length: Int) -> Bool {
        let text: StaticString = "authorization"
        guard length == text.utf8CodeUnitCount else { return false }
        for index in 0..<length where unsafe name[index] != text.utf8Start[index] { return false }
        return true
    }

    /// Queues RST_STREAM for a request whose answer is no longer wanted.
    package func reset(stream: Int32, errorCode: UInt32) {
        // nghttp2 does not know yet of one that waits to be sent.
        let place =
            unsafe Self.place(of: stream, session)
            ?? intake.pointee.exchanges.firstIndex { $0.answer.stream == stream }
        guard let place, unsafe !intake.pointee.exchanges[place].isOver else { return }
        unsafe intake.pointee.exchanges[place].isOver = true
        unsafe nghttp2_submit_rst_stream(session, 0, stream, errorCode)
    }

    /// Queues GOAWAY with NO_ERROR: the client leaves.
    package func leave() {
        hasLeft = true
        unsafe nghttp2_session_terminate_session(session, NGHTTP2_NO_ERROR.rawValue)
    }

    /// Appends pending frames, always whole ones, until `output` has `limit` bytes or slightly more.
    ///
    /// - Returns: whether more may be pending.
    package func send(into output: inout [UInt8], limit: Int) -> Bool {
        while output.count < limit {
            var frame: UnsafePointer<UInt8>?
            let length = unsafe nghttp2_session_mem_send(session, &frame)
            guard length > 0, let frame = unsafe frame else { return false }
            // A GOAWAY of nghttp2's own: the server has broken HTTP/2.
            if unsafe frame[3] == 7, !hasLeft { isFailed = true }
            let start = output.count
            unsafe output.append(contentsOf: UnsafeBufferPointer(start: frame, count: length))
            if unsafe frame[3] == 1 { addLiterals(toFrameAt: start, of: &output) }
        }
        return true
    }

    /// Appends the fields that nghttp2 was not given to the HEADERS frame at the end of the output.
    private func addLiterals(toFrameAt start: Int, of output: inout [UInt8]) {
        let stream = output[start + 5..<start + 9].reduce(Int32(0)) { $0 << 8 | Int32($1) }
        guard let place = unsafe Self.place(of: stream, session),
            unsafe !intake.pointee.exchanges[place].literals.isEmpty
        else { return }
        unsafe output += intake.pointee.exchanges[place].literals
        unsafe intake.pointee.exchanges[place].literals = []
        let length = output.count - start - 9
        for index in 0..<3 { output[start + index] = UInt8(truncatingIfNeeded: length >> (16 - 8 * index)) }
    }

    // MARK: Input

    /// Processes input from the server; returns what it has done.
    package func receive(_ plaintext: [UInt8]) -> [Event] {
        guard !isFailed, !plaintext.isEmpty else { return [] }
        let read = unsafe plaintext.withUnsafeBufferPointer { bytes in
            unsafe nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count)
        }
        if read < 0 { isFailed = true }
        for stream in unsafe intake.pointee.excessive {
            unsafe nghttp2_submit_rst_stream(session, 0, stream, NGHTTP2_CANCEL.rawValue)
        }
        unsafe intake.pointee.excessive = []
        return takeEvents()
    }

    /// Returns what has been noted since the last call: requests that nghttp2 has given up while it wrote.
    package func takeEvents() -> [Event] {
        defer { unsafe intake.pointee.events = [] }
        return unsafe intake.pointee.events
    }
}

// MARK: Callbacks

extension HTTP2ClientSession {
    private static func intake(_ user: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Intake> {
        unsafe user.unsafelyUnwrapped.assumingMemoryBound(to: Intake.self)
    }

    /// The place of an open stream's exchange.
    private static func place(of stream: Int32, _ session: OpaquePointer?) -> Int? {
        unsafe nghttp2_session_get_stream_user_data(session, stream).map { Int(bitPattern: $0) - 1 }
    }

    private static nonisolated(unsafe) let options: OpaquePointer? = {
        var options: OpaquePointer?
        unsafe nghttp2_option_new(&options)
        unsafe nghttp2_option_set_no_closed_streams(options, 1)
        return unsafe options
    }()

    private static nonisolated(unsafe) let callbacks: OpaquePointer? = {
        var callbacks: OpaquePointer?
        unsafe nghttp2_session_callbacks_new(&callbacks)
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { session, frame, user in
            guard let id = unsafe frame?.pointee.hd.stream_id,
                let place = unsafe HTTP2ClientSession.place(of: id, session)
            else { return 0 }
            unsafe HTTP2ClientSession.intake(user).pointee.exchanges[place].beginFields()
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            session, frame, name, nameLength, value, valueLength, _, user in
            guard let id = unsafe frame?.pointee.hd.stream_id,
                let place = unsafe HTTP2ClientSession.place(of: id, session)
            else { return 0 }
            let intake = unsafe HTTP2ClientSession.intake(user)
            guard unsafe intake.pointee.hasRoom(for: nameLength + valueLength + 32, at: place) else { return 0 }
            let name = unsafe UnsafeBufferPointer(start: name, count: nameLength)
            let value = unsafe UnsafeBufferPointer(start: value, count: valueLength)
            unsafe intake.pointee.exchanges[place].addField(name, value)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            session, _, id, data, length, user in
            let intake = unsafe HTTP2ClientSession.intake(user)
            guard let data = unsafe data, let place = unsafe HTTP2ClientSession.place(of: id, session),
                unsafe intake.pointee.hasRoom(for: length, at: place)
            else { return 0 }
            unsafe intake.pointee.exchanges[place].answer.body += UnsafeBufferPointer(start: data, count: length)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { session, frame, user in
            guard let frame = unsafe frame else { return 0 }
            let place = unsafe HTTP2ClientSession.place(of: frame.pointee.hd.stream_id, session)
            unsafe HTTP2ClientSession.intake(user).pointee.addFrame(frame, at: place)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { session, id, errorCode, user in
            let intake = unsafe HTTP2ClientSession.intake(user)
            guard let place = unsafe HTTP2ClientSession.place(of: id, session) else { return 0 }
            unsafe intake.pointee.close(id, at: place, errorCode: errorCode)
            return 0
        }
        return unsafe callbacks
    }()

    private static let readBody: nghttp2_data_source_read_callback = { session, id, buffer, capacity, flags, _, user in
        guard let buffer = unsafe buffer, let place = unsafe HTTP2ClientSession.place(of: id, session) else {
            return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
        let (length, isLast) = unsafe HTTP2ClientSession.intake(user).pointee.exchanges[place].sendBody(
            to: buffer, capacity)
        if isLast { unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return length
    }
}

extension HTTP2ClientSession.Exchange {
    /// Adds an `authorization` field, which takes half of the time of all fields if nghttp2 compresses it: a
    /// never-indexed literal with the name of entry 23 (RFC 7541, section 6.2.3, and 7.1.3 on why never).
    fileprivate mutating func addAuthorization(_ value: UnsafeBufferPointer<UInt8>) {
        literals.reserveCapacity(value.count + 6)
        literals += [0x1F, 23 - 15]
        // An integer with a prefix of seven bits (section 5.1).
        var rest = value.count - 127
        literals.append(UInt8(min(value.count, 127)))
        while rest >= 0 {
            literals.append(UInt8(truncatingIfNeeded: rest & 0x7F) | (rest > 127 ? 0x80 : 0))
            rest = rest > 127 ? rest >> 7 : -1
        }
        unsafe literals.append(contentsOf: value)
    }

    /// Copies more of the body.
    fileprivate mutating func sendBody(
        to buffer: UnsafeMutablePointer<UInt8>, _ capacity: Int
    ) -> (length: Int, isLast: Bool) {
        let length = min(capacity, body.count - sent)
        unsafe body.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe buffer.update(from: start + sent, count: length)
        }
        sent += length
        return (length, sent == body.count)
    }

    /// What came before the final answer, such as 103, is no part of it. Trailers are.
    fileprivate mutating func beginFields() {
        if answer.status == 0 || 100..<200 ~= answer.status { answer.fields = FieldBlock(capacity: Self.usualBlock) }
    }

    /// More bytes than the header fields of an answer of APNs have, so that they are stored at once.
    private static let usualBlock = 256

    fileprivate mutating func addField(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        // An answer has no other pseudo-header field than :status, and nghttp2 has seen that it is three digits.
        if unsafe name.first == UInt8(ascii: ":") {
            answer.status = unsafe value.reduce(0) { $0 * 10 + Int($1) - 48 }
        }
        unsafe answer.fields.append(name.span, value.span)
    }
}

extension HTTP2ClientSession.Intake {
    /// Returns the place for another exchange.
    fileprivate mutating func takePlace() -> Int {
        if let place = freePlaces.popLast() {
            exchanges[place].isOver = false
            return place
        }
        exchanges.append(.init())
        return exchanges.count - 1
    }

    fileprivate mutating func free(_ place: Int) {
        exchanges[place] = .init()
        exchanges[place].isOver = true
        freePlaces.append(place)
    }

    /// Notes that a stream has closed.
    fileprivate mutating func close(_ stream: Int32, at place: Int, errorCode: UInt32) {
        let exchange = exchanges[place]
        if !exchange.isOver {
            // nghttp2 itself resets a stream with a malformed answer.
            let isMalformed = !exchange.isReset && errorCode == NGHTTP2_PROTOCOL_ERROR.rawValue
            events.append(isMalformed ? .malformed(stream: stream) : .reset(stream: stream, errorCode: errorCode))
        }
        free(place)
    }

    /// Returns whether an answer may grow; one that may not is given up.
    fileprivate mutating func hasRoom(for count: Int, at place: Int) -> Bool {
        guard !exchanges[place].isOver else { return false }
        exchanges[place].size += count
        if exchanges[place].size <= HTTP2ClientSession.answerLimit { return true }
        exchanges[place].isOver = true
        excessive.append(exchanges[place].answer.stream)
        events.append(.tooLong(stream: exchanges[place].answer.stream))
        return false
    }

    /// - Parameter place: that of the frame's stream.
    fileprivate mutating func addFrame(_ frame: UnsafePointer<nghttp2_frame>, at place: Int?) {
        let header = unsafe frame.pointee.hd
        switch UInt32(header.type) {
        case NGHTTP2_DATA.rawValue, NGHTTP2_HEADERS.rawValue:
            guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0, let place, !exchanges[place].isOver
            else { return }
            exchanges[place].isOver = true
            // Nothing else would close the stream.
            if exchanges[place].sent < exchanges[place].body.count { excessive.append(header.stream_id) }
            var answer = HTTP2ClientSession.Answer(stream: 0)
            swap(&answer, &exchanges[place].answer)
            events.append(.answer(answer))
        case NGHTTP2_RST_STREAM.rawValue:
            if let place { exchanges[place].isReset = true }
        case NGHTTP2_SETTINGS.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
            let settings = unsafe frame.pointee.settings
            var limit = hasSettings ? nil : HTTP2ClientSession.noLimit
            for index in unsafe 0..<settings.niv {
                guard let entry = unsafe settings.iv?[index], entry.settings_id == 3 else { continue }
                limit = Int(entry.value)
            }
            hasSettings = true
            if let limit { events.append(.streamLimit(limit)) }
        case NGHTTP2_GOAWAY.rawValue:
            let goAway = unsafe frame.pointee.goaway
            let text = unsafe UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
            let (last, code, bytes) = unsafe (goAway.last_stream_id, goAway.error_code, Array(text))
            events.append(.goAway(lastStream: last, errorCode: code, debugData: bytes))
        default: break
        }
    }
}
