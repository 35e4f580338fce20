import CMockNGHTTP2

/// The client's side of a connection: an nghttp2 session in client mode, bytes in and bytes out, with the server's
/// frames kept as they came.
@safe
package final class TestHTTP2Client {
    package struct Response: Equatable, Sendable {
        /// Names and values, in order.
        package var list: [[String]] = []
        package var body: [UInt8] = []
        package var isEnded = false
        /// Of the RST_STREAM frame that closed the stream.
        package var errorCode: UInt32?

        package var fields: [String: String] { Dictionary(list.map { ($0[0], $0[1]) }) { $1 } }
        package var status: String? { fields[":status"] }
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// By stream.
    package fileprivate(set) var responses: [Int32: Response] = [:]
    /// Every frame of the server.
    package private(set) var frames: [RawFrame] = []
    /// What nghttp2 did not accept from the server.
    package private(set) var error: Int?

    fileprivate var bodies: [Int32: (bytes: [UInt8], sent: Int)] = [:]
    private var session: OpaquePointer?
    private var partial: [UInt8] = []

    package init(settings: [(UInt16, UInt32)] = [(2, 0)]) {
        var callbacks: OpaquePointer?
        unsafe nghttp2_session_callbacks_new(&callbacks)
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, user in
            let name = unsafe String(decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self)
            let value = unsafe String(decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self)
            unsafe client(user).responses[frame!.pointee.hd.stream_id, default: Response()].list.append([name, value])
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, data, length, user in
            let bytes = unsafe UnsafeBufferPointer(start: data, count: length)
            unsafe client(user).responses[id, default: Response()].body += bytes
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
            let header = unsafe frame!.pointee.hd
            if header.type <= 1 && header.flags & RawFrame.endStream != 0 {
                unsafe client(user).responses[header.stream_id, default: Response()].isEnded = true
            }
            return 0
        }
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, errorCode, user in
            if errorCode != 0 { unsafe client(user).responses[id, default: Response()].errorCode = errorCode }
            return 0
        }
        let this = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe nghttp2_session_client_new(&session, callbacks, this)
        unsafe nghttp2_session_callbacks_del(callbacks)
        let entries = settings.map { nghttp2_settings_entry(settings_id: Int32($0.0), value: $0.1) }
        unsafe nghttp2_submit_settings(session, 0, entries, entries.count)
    }

    deinit {
        unsafe nghttp2_session_del(session)
    }

    /// Queues a request; a `nil` body ends the stream with HEADERS.
    @discardableResult
    package func request(_ fields: [(String, String)] = RawFrame.push, body: [UInt8]? = nil) -> Int32 {
        let texts = fields.map { (Array($0.0.utf8), Array($0.1.utf8)) }
        var storage = texts.flatMap { $0.0 + $0.1 }
        let stream = unsafe storage.withUnsafeMutableBufferPointer { bytes in
            var next = bytes.baseAddress!
            let list = unsafe texts.map { name, value in
                defer { unsafe next += name.count + value.count }
                return unsafe nghttp2_nv(
                    name: next, value: next + name.count, namelen: name.count, valuelen: value.count, flags: 0)
            }
            guard body != nil else { return unsafe nghttp2_submit_request(session, nil, list, list.count, nil, nil) }
            var provider = unsafe nghttp2_data_provider(source: .init(fd: 0)) {
                _, id, buffer, capacity, flags, _, user in
                let this = unsafe client(user)
                guard let body = this.bodies[id] else { return 0 }
                let part = body.bytes[body.sent..<min(body.bytes.count, body.sent + capacity)]
                for (offset, byte) in part.enumerated() { unsafe buffer![offset] = byte }
                this.bodies[id]?.sent += part.count
                if body.sent + part.count == body.bytes.count { unsafe flags!.pointee = 1 }
                return part.count
            }
            return unsafe nghttp2_submit_request(session, nil, list, list.count, &provider, nil)
        }
        if let body { bodies[stream] = (body, 0) }
        return stream
    }

    package func reset(_ stream: Int32, _ errorCode: UInt32 = 8) {
        unsafe nghttp2_submit_rst_stream(session, 0, stream, errorCode)
    }

    package func ping() {
        unsafe nghttp2_submit_ping(session, 0, nil)
    }

    /// What the client wants to send, its preface first.
    package func output() -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk: UnsafePointer<UInt8>?
        while case let length = unsafe nghttp2_session_mem_send(session, &chunk), length > 0 {
            unsafe bytes += UnsafeBufferPointer(start: chunk, count: length)
        }
        return bytes
    }

    /// Drops what is kept of the streams and frames so far.
    package func forget() {
        responses.removeAll()
        frames.removeAll()
        bodies.removeAll()
    }

    package func receive(_ bytes: [UInt8]) {
        partial += bytes
        frames += RawFrame.take(from: &partial)
        let result = unsafe nghttp2_session_mem_recv(session, bytes, bytes.count)
        if result < 0 { error = result }
    }
}

private func client(_ user: UnsafeMutableRawPointer?) -> TestHTTP2Client {
    unsafe Unmanaged<TestHTTP2Client>.fromOpaque(user!).takeUnretainedValue()
}
