import MockAPNSTransport
import NIOCore

/// A connection of the probe: TLS and frames of HTTP/2, with all that the server has sent.
///
/// It is a client that can break the rules: it writes any frame, and reads frames itself. It is used by one task.
final class ProbeConnection {
    /// A stream as the server has answered it.
    struct Stream {
        var fields: [(name: String, value: String)] = []
        var body: [UInt8] = []
        /// The names of the frames, with END_STREAM.
        var frames: [String] = []
        var isEnded = false
        /// The error codes of RST_STREAM.
        var resets: [Int] = []
        /// How many SETTINGS had arrived before the request, and how many before the answer, once it is there.
        var settingsCount: (request: Int, answer: Int?) = (0, nil)
        /// The bytes that may still be sent, beyond the initial window.
        var window = 0

        var isOver: Bool { isEnded || !resets.isEmpty }

        /// Notes an RST_STREAM. One that follows a whole answer is no part of it: a server may send it to stop the rest
        /// of a request (RFC 9113, section 8.1), and it may arrive after the answer has been looked at.
        mutating func reset(_ code: Int) {
            if !isEnded { resets.append(code) }
        }
    }

    struct GoAway {
        var lastStream: Int
        var errorCode: Int
        var text: [UInt8]
    }

    /// How the connection has ended.
    enum End: Sendable {
        case failed(OpenSSLError)
        case closed
        /// The server has sent more than a probe may get. What it was, as a sentence without a full stop.
        case excess(String)
    }

    let tls: TLSClientConnection
    let acknowledges: Bool
    private let socket: ProbeSocket
    private let decoder = FieldDecoder()
    private let encoder = FieldEncoder()
    private var partial: [UInt8] = []
    private var block: (stream: Int, bytes: [UInt8], ends: Bool)?
    private var connectionWindow = 65_535
    private var initialWindow = 65_535
    private var pingsSent = 0
    /// Whether the preface was sent: nothing else may come before it.
    private var hasBegun = false
    /// Frames that answer what has arrived. They wait for the preface, and for the end of what is read together.
    private var due: [HTTP2Frame] = []

    private(set) var streams: [Int: Stream] = [:]
    private(set) var latestStream = -1
    private(set) var settings: [[(name: String, value: Int)]] = []
    private(set) var settingsAcknowledged = 0
    private(set) var pingsAnswered = 0
    private(set) var goAways: [GoAway] = []
    private(set) var end: End?
    /// Whether the server has sent bytes that are no frames of HTTP/2. None of them are kept.
    private(set) var isGarbled = false

    init(_ socket: ProbeSocket, _ tls: TLSClientConnection, acknowledges: Bool = true) {
        self.socket = socket
        self.tls = tls
        self.acknowledges = acknowledges
    }

    /// Whether the server has chosen another protocol than HTTP/2 by ALPN.
    var isOtherProtocol: Bool { tls.applicationProtocol.map { $0 != "h2" } ?? false }

    // MARK: Sending

    /// Writes plaintext as it is.
    func write(_ bytes: [UInt8]) {
        tls.write(bytes)
        socket.write(tls.takeOutput())
    }

    func write(_ frames: [HTTP2Frame]) { write(frames.flatMap(\.bytes)) }

    /// Writes what a client begins with. Its windows are large, so that answers never wait for it.
    func writePreface() {
        let settings =
            HTTP2Frame.bytes(of: 2, 2) + HTTP2Frame.bytes(of: 0, 4)  // no server push
            + HTTP2Frame.bytes(of: 4, 2) + HTTP2Frame.bytes(of: 1 << 24, 4)  // INITIAL_WINDOW_SIZE
        write(
            HTTP2Frame.preface + HTTP2Frame(.settings, settings).bytes
                + HTTP2Frame(.windowUpdate, HTTP2Frame.bytes(of: 1 << 24, 4)).bytes + due.flatMap(\.bytes))
        hasBegun = true
        due = []
    }

    /// Sends the header fields of a request; returns its stream.
    func begin(_ fields: [(name: String, value: String)], _ framing: ProbeFraming, ends: Bool) -> Int {
        let stream = latestStream < 0 ? 1 : latestStream + 2
        latestStream = stream
        streams[stream] = Stream(settingsCount: (settings.count, nil))
        var payload = framing.isCompressed ? encoder.encode(fields) ?? [] : LiteralFields.block(fields)
        var flags: UInt8 = ends ? HTTP2Frame.endStream : 0
        // Exclusive, dependent on no stream, with the usual weight.
        if framing.hasPriority { payload = HTTP2Frame.bytes(of: 0, 4) + [15] + payload }
        if framing.hasPriority { flags |= HTTP2Frame.priority }
        var parts: [[UInt8]] = []
        let longest = framing.isContinued ? max(1, (payload.count + 1) / 2) : HTTP2Frame.longestPayload - 256
        for start in stride(from: 0, to: payload.count, by: longest) {
            parts.append(Array(payload[start..<min(payload.count, start + longest)]))
        }
        if let padding = framing.padding {
            parts[0] = [UInt8(padding)] + parts[0] + [UInt8](repeating: 0, count: padding)
            flags |= HTTP2Frame.padded
        }
        for (index, part) in parts.enumerated() {
            let last: UInt8 = index == parts.count - 1 ? HTTP2Frame.endHeaders : 0
            write([
                HTTP2Frame(
                    index == 0 ? .headers : .continuation, flags: last | (index == 0 ? flags : 0), stream: stream, part)
            ])
        }
        return stream
    }

    /// Sends a part of a body, as the server's windows allow.
    func send(
        _ body: [UInt8], on stream: Int, padding: Int? = nil, ends: Bool, until deadline: ContinuousClock.Instant
    ) async {
        var offset = 0
        repeat {
            let room =
                min(connectionWindow, initialWindow + (streams[stream]?.window ?? 0)) - (padding.map { $0 + 1 } ?? 0)
            guard room > 0 || offset == body.count else {
                let before = (connectionWindow, initialWindow, streams[stream]?.window)
                let isFree = await pump(until: deadline) {
                    ($0.connectionWindow, $0.initialWindow, $0.streams[stream]?.window) != before
                        || $0.streams[stream]?.isOver != false
                }
                if !isFree || streams[stream]?.isOver != false { return }
                continue
            }
            // A server that makes its windows smaller can leave less than no room.
            let count = max(0, min(body.count - offset, room, HTTP2Frame.longestPayload - 256))
            var payload = Array(body[offset..<offset + count])
            offset += count
            var flags: UInt8 = ends && offset == body.count ? HTTP2Frame.endStream : 0
            if let padding {
                payload = [UInt8(padding)] + payload + [UInt8](repeating: 0, count: padding)
                flags |= HTTP2Frame.padded
            }
            connectionWindow -= payload.count
            streams[stream]?.window -= payload.count
            write([HTTP2Frame(.data, flags: flags, stream: stream, payload)])
        } while offset < body.count
    }

    // MARK: Receiving

    /// Waits until what the server has sent meets a condition; returns `false` if the time is over or the connection
    /// has ended before.
    func pump(until deadline: ContinuousClock.Instant, _ isDone: (ProbeConnection) -> Bool) async -> Bool {
        while !isDone(self) {
            if end != nil { return false }
            switch await socket.next(until: deadline) {
            case .bytes(let bytes):
                take(bytes)
                // A server that always has a little more to say is not waited for any longer than one that is silent.
                if deadline <= .now { return isDone(self) }
            case .excess: await giveUp("the server sent more than 1 MB in answer to one probe")
            case .ended: end = end ?? .closed
            case .stop, .timeLimit: return isDone(self)
            }
            if socket.left < 0 {
                await giveUp("the server sent header fields of more than 1 MB in answer to one probe")
            }
        }
        return true
    }

    private func giveUp(_ reason: String) async {
        end = end ?? .excess(reason)
        partial = []
        await socket.close()
    }

    /// Begins another probe, which may get as much as the one before.
    func beginProbe() { socket.beginProbe() }

    /// The SETTINGS that have arrived between a request and its answer.
    func settings(before stream: Stream) -> [(name: String, value: Int)] {
        settings[stream.settingsCount.request..<(stream.settingsCount.answer ?? settings.count)].flatMap(\.self)
    }

    /// Waits until a PING has been answered, so that all that the server had to say before has arrived.
    func settle(until deadline: ContinuousClock.Instant) async -> Bool {
        pingsSent += 1
        write([HTTP2Frame(.ping, HTTP2Frame.bytes(of: pingsSent, 8))])
        let wanted = pingsSent
        return await pump(until: deadline) { $0.pingsAnswered >= wanted }
    }

    func close() async {
        tls.sendCloseNotify()
        socket.write(tls.takeOutput())
        await socket.close()
    }

    /// Continues the handshake, or reads frames.
    func take(_ ciphertext: [UInt8]) {
        let plaintext = tls.receive(ciphertext)
        socket.write(tls.takeOutput())
        partial += plaintext
        if partial.starts(with: Array("HTTP/".utf8)) { isGarbled = true }
        if !isGarbled {
            for frame in HTTP2Frame.take(from: &partial) { take(frame) }
        }
        if isGarbled { partial = [] }
        if hasBegun, !due.isEmpty {
            // One record for all, however many frames have arrived.
            write(due)
            due = []
        }
        if let failure = tls.failure, end == nil { end = .failed(failure) }
    }

    private func take(_ frame: HTTP2Frame) {
        switch frame.kind {
        case .settings: takeSettings(frame)
        case .ping:
            if frame.has(HTTP2Frame.acknowledgement) {
                pingsAnswered += 1
            } else {
                due.append(HTTP2Frame(.ping, flags: HTTP2Frame.acknowledgement, frame.payload))
            }
        case .headers:
            block = (frame.stream, frame.content, frame.has(HTTP2Frame.endStream))
            note(frame)
            if frame.has(HTTP2Frame.endHeaders) { endBlock() }
        case .continuation:
            block?.bytes += frame.payload
            if frame.has(HTTP2Frame.endHeaders) { endBlock() }
        case .pushPromise:
            // Only so that later fields can be decoded.
            _ = decode(Array(frame.content.dropFirst(4)))
        case .data:
            note(frame)
            streams[frame.stream]?.body += frame.content
            if frame.has(HTTP2Frame.endStream) { streams[frame.stream]?.isEnded = true }
            if !frame.payload.isEmpty {
                due.append(HTTP2Frame(.windowUpdate, HTTP2Frame.bytes(of: frame.payload.count, 4)))
            }
        case .resetStream: streams[frame.stream]?.reset(HTTP2Frame.number(frame.payload.prefix(4)))
        case .goAway:
            goAways.append(
                GoAway(
                    lastStream: HTTP2Frame.number(frame.payload.prefix(4)) & 0x7FFF_FFFF,
                    errorCode: HTTP2Frame.number(frame.payload.dropFirst(4).prefix(4)),
                    text: Array(frame.payload.dropFirst(8))))
        case .windowUpdate:
            let increment = HTTP2Frame.number(frame.payload.prefix(4)) & 0x7FFF_FFFF
            if frame.stream == 0 { connectionWindow += increment } else { streams[frame.stream]?.window += increment }
        case .priority, nil: break
        }
    }

    private func takeSettings(_ frame: HTTP2Frame) {
        if frame.has(HTTP2Frame.acknowledgement) {
            settingsAcknowledged += 1
            return
        }
        let entries = stride(from: 0, to: frame.payload.count - 5, by: 6).map { start in
            (
                name: HTTP2Frame.settingName(HTTP2Frame.number(frame.payload[start..<start + 2])),
                value: HTTP2Frame.number(frame.payload[start + 2..<start + 6])
            )
        }
        settings.append(entries)
        if let window = entries.last(where: { $0.name == "INITIAL_WINDOW_SIZE" }) { initialWindow = window.value }
        if acknowledges { due.append(HTTP2Frame(.settings, flags: HTTP2Frame.acknowledgement)) }
    }

    private func note(_ frame: HTTP2Frame) {
        guard streams[frame.stream] != nil else { return }
        if streams[frame.stream]?.frames.isEmpty == true {
            streams[frame.stream]?.settingsCount.answer = settings.count
        }
        streams[frame.stream]?.frames.append(
            frame.name + (frame.has(HTTP2Frame.endStream) ? "+END_STREAM" : ""))
    }

    /// Decodes a header block; `nil` if that cannot be done, and then no later one can be decoded either.
    private func decode(_ block: [UInt8]) -> [(name: String, value: String)]? {
        do throws(FieldDecoder.Mistake) {
            let fields = try decoder.decode(block, atMost: max(0, socket.left))
            socket.spend(fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + FieldDecoder.overhead })
            return fields
        } catch {
            switch error {
            case .malformed: isGarbled = true
            case .tooLong: socket.spend(socket.left + 1)
            }
            return nil
        }
    }

    private func endBlock() {
        guard let (stream, bytes, ends) = block else { return }
        block = nil
        guard let fields = decode(bytes) else { return }
        // 103 comes before the answer, trailers after it: all are kept in order.
        streams[stream]?.fields += fields
        if ends { streams[stream]?.isEnded = true }
    }
}
