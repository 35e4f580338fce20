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
        /// The header fields as one flat block, `:status` first; those of the final answer.
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
        /// The stream has ended without an answer, by RST_STREAM with this error code (RFC 9113, section 7).
        case reset(stream: Int32, errorCode: UInt32)
        /// The answer was given up: it has more than ``HTTP2ClientSession/answerLimit`` bytes.
        case tooLong(stream: Int32)
        /// It has sent GOAWAY: streams above the last one are not processed.
        case goAway(lastStream: Int32, errorCode: UInt32, debugData: [UInt8])
        /// It allows as many streams at a time.
        case streamLimit(Int)
    }

    /// Maximum number of bytes of an answer's header fields, each with 32 more, and of its body. What is longer is reset.
    package static let answerLimit = 65_536

    /// What nghttp2's callbacks write to. It has its own memory, because they get its address.
    fileprivate struct Intake {
        var answers: [Int32: Answer] = [:]
        var bodies: [Int32: (bytes: [UInt8], offset: Int)] = [:]
        var events: [Event] = []
        /// Streams whose answers are too long.
        var excessive: [Int32] = []
        var sizes: [Int32: Int] = [:]
    }

    private let session: OpaquePointer
    private let intake: UnsafeMutablePointer<Intake>
    /// Whether the server has broken HTTP/2, or ended the connection: nothing more is received.
    package private(set) var isFailed = false
    private var hasLeft = false

    /// The number of requests without an answer.
    package var openStreams: Int { unsafe intake.pointee.answers.count }

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
    package func submit(_ fields: Span<UInt8>, body: [UInt8]) -> Int32? {
        // After a GOAWAY, nghttp2 would take it all the same, and give it up when it comes to be written.
        guard unsafe nghttp2_session_check_request_allowed(session) != 0 else { return nil }
        let stream = unsafe fields.withUnsafeBufferPointer { bytes in
            unsafe submit(bytes, hasBody: !body.isEmpty)
        }
        guard stream > 0 else { return nil }
        unsafe intake.pointee.answers[stream] = Answer(stream: stream)
        if !body.isEmpty { unsafe intake.pointee.bodies[stream] = (body, 0) }
        return stream
    }

    private func submit(_ bytes: UnsafeBufferPointer<UInt8>, hasBody: Bool) -> Int32 {
        guard let start = bytes.baseAddress else { return NGHTTP2_ERR_INVALID_ARGUMENT.rawValue }
        var fields = unsafe [nghttp2_nv]()
        // nghttp2 copies the fields and does not write to them.
        var field = unsafe UnsafeMutablePointer(mutating: start)
        let end = unsafe field + bytes.count
        while unsafe field + 4 <= end {
            let nameLength = unsafe Int(field[0]) | Int(field[1]) << 8
            let valueLength = unsafe Int(field[2]) | Int(field[3]) << 8
            let name = unsafe field + 4
            unsafe fields.append(
                nghttp2_nv(name: name, value: name + nameLength, namelen: nameLength, valuelen: valueLength, flags: 0))
            unsafe field = name + nameLength + valueLength
        }
        guard hasBody else { return unsafe nghttp2_submit_request(session, nil, fields, fields.count, nil, nil) }
        var provider = unsafe nghttp2_data_provider(source: .init(fd: 0), read_callback: Self.readBody)
        return unsafe nghttp2_submit_request(session, nil, fields, fields.count, &provider, nil)
    }

    /// Queues RST_STREAM for a request whose answer is no longer wanted.
    package func reset(stream: Int32, errorCode: UInt32) {
        guard unsafe intake.pointee.answers.removeValue(forKey: stream) != nil else { return }
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
            unsafe output.append(contentsOf: UnsafeBufferPointer(start: frame, count: length))
        }
        return true
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

    private static nonisolated(unsafe) let options: OpaquePointer? = {
        var options: OpaquePointer?
        unsafe nghttp2_option_new(&options)
        unsafe nghttp2_option_set_no_closed_streams(options, 1)
        return unsafe options
    }()

    private static nonisolated(unsafe) let callbacks: OpaquePointer? = {
        var callbacks: OpaquePointer?
        unsafe nghttp2_session_callbacks_new(&callbacks)
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
            guard let id = unsafe frame?.pointee.hd.stream_id else { return 0 }
            let intake = unsafe HTTP2ClientSession.intake(user)
            // What came before the final answer, such as 103, is no part of it. Trailers are.
            let isFinal = unsafe intake.pointee.answers[id].map { $0.status >= 200 } ?? true
            if !isFinal { unsafe intake.pointee.answers[id]?.fields = FieldBlock() }
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, user in
            guard let id = unsafe frame?.pointee.hd.stream_id else { return 0 }
            let name = unsafe UnsafeBufferPointer(start: name, count: nameLength)
            let value = unsafe UnsafeBufferPointer(start: value, count: valueLength)
            unsafe HTTP2ClientSession.intake(user).pointee.addField(name, value, to: id)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, data, length, user in
            let intake = unsafe HTTP2ClientSession.intake(user)
            guard let data = unsafe data, unsafe intake.pointee.answers[id] != nil else { return 0 }
            guard unsafe intake.pointee.hasRoom(for: length, on: id) else { return 0 }
            unsafe intake.pointee.answers[id]?.body += UnsafeBufferPointer(start: data, count: length)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
            guard let frame = unsafe frame else { return 0 }
            unsafe HTTP2ClientSession.intake(user).pointee.addFrame(frame)
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, errorCode, user in
            let intake = unsafe HTTP2ClientSession.intake(user)
            unsafe intake.pointee.bodies[id] = nil
            unsafe intake.pointee.sizes[id] = nil
            guard unsafe intake.pointee.answers.removeValue(forKey: id) != nil else { return 0 }
            unsafe intake.pointee.events.append(.reset(stream: id, errorCode: errorCode))
            return 0
        }
        return unsafe callbacks
    }()

    private static let readBody: nghttp2_data_source_read_callback = { _, id, buffer, capacity, flags, _, user in
        let intake = unsafe HTTP2ClientSession.intake(user)
        guard let (bytes, offset) = unsafe intake.pointee.bodies[id], let buffer = unsafe buffer else {
            return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
        let length = min(capacity, bytes.count - offset)
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe buffer.update(from: start + offset, count: length)
        }
        if offset + length == bytes.count {
            unsafe intake.pointee.bodies[id] = nil
            unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
        } else {
            unsafe intake.pointee.bodies[id]?.offset += length
        }
        return length
    }
}

extension HTTP2ClientSession.Intake {
    fileprivate mutating func addField(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, to id: Int32
    ) {
        guard answers[id] != nil, hasRoom(for: name.count + value.count + 32, on: id) else { return }
        let (name, value) = unsafe (Array(name), Array(value))
        if name == Self.status { answers[id]?.status = Int(String(decoding: value, as: UTF8.self)) ?? 0 }
        answers[id]?.fields.append(name.span, value.span)
    }

    private static let status = Array(":status".utf8)

    /// Returns whether an answer may grow; one that may not is given up.
    fileprivate mutating func hasRoom(for count: Int, on id: Int32) -> Bool {
        let size = sizes[id, default: 0] + count
        sizes[id] = size
        if size <= HTTP2ClientSession.answerLimit { return true }
        if answers.removeValue(forKey: id) != nil {
            excessive.append(id)
            events.append(.tooLong(stream: id))
        }
        return false
    }

    fileprivate mutating func addFrame(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = unsafe frame.pointee.hd
        let id = header.stream_id
        switch UInt32(header.type) {
        case NGHTTP2_DATA.rawValue, NGHTTP2_HEADERS.rawValue:
            guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
                let answer = answers.removeValue(forKey: id)
            else { return }
            events.append(.answer(answer))
        case NGHTTP2_SETTINGS.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
            let settings = unsafe frame.pointee.settings
            for index in unsafe 0..<settings.niv {
                guard let entry = unsafe settings.iv?[index], entry.settings_id == 3 else { continue }
                events.append(.streamLimit(Int(entry.value)))
            }
        case NGHTTP2_GOAWAY.rawValue:
            let goAway = unsafe frame.pointee.goaway
            let text = unsafe UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
            let (last, code, bytes) = unsafe (goAway.last_stream_id, goAway.error_code, Array(text))
            events.append(.goAway(lastStream: last, errorCode: code, debugData: bytes))
        default: break
        }
    }
}
