import MockAPNSTransport
import TestClients

extension FuzzTarget {
    /// The plaintext of a connection: HTTP/2 by nghttp2, with what the session adds to it.
    ///
    /// The first four bytes say in which pieces the rest comes. It follows the preface and SETTINGS when the first is odd.
    static let session = FuzzTarget(
        name: "session", longestInput: 2048,
        seeds: [[0, 0, 0, 0] + RawFrame.preface, [1, 0, 0, 0], [1, 5, 1, 40]].map { $0 + sampleFrames.bytes }
            + [
                [1, 0, 0, 0] + [RawFrame.headers(1), .headers(1)].bytes,
                [1, 9, 0, 0] + [RawFrame.headers(1, ends: false), .reset(1), .data(1, [1])].bytes,
                [0, 3, 0, 0] + Array("POST /3/device/00 HTTP/1.1\r\n\r\n".utf8),
            ]
    ) { input throws(Finding) in
        guard input.count > 4 else { return }
        var settings = HTTP2Session.Settings()
        settings.maxConcurrentStreams = 10
        let session = HTTP2Session(settings: settings)
        var (received, sent) = (0, 0)
        if input[0] & 1 == 1 { received += try step(session, RawFrame.preface + RawFrame.settings().bytes, &sent) }
        let pieces = Pieces(Array(input[4...]), lengths: Array(input[0..<4]))
        for range in pieces.ranges { received += try step(session, Array(pieces.bytes[range]), &sent) }
        // An answer is short, and so is what is said to any other frame, of which each takes nine bytes.
        try require(sent <= 4096 + 64 * received, "\(sent) bytes were sent after \(received)")
        session.end()
        try check(session)
    }

    /// Gives the session some bytes and answers its requests; returns how many bytes there were.
    private static func step(
        _ session: HTTP2Session, _ bytes: [UInt8], _ sent: inout Int
    ) throws(Finding) -> Int {
        let isFailed = if case .failed = session.receive(bytes.span) { true } else { false }
        try check(session)
        for request in session.requests where request.fault == nil {
            session.respond(to: request.streamID, fields: FieldBlock(status: 200))
        }
        session.recycleRequests()
        try require(session.openStreams <= 11, "\(session.openStreams) streams are open, of at most 10")
        var output: [UInt8] = []
        var rounds = 0
        while session.send(into: &output, limit: 16_384) {
            rounds += 1
            try require(rounds < 1000, "what is sent has an end")
        }
        sent += output.count
        let first = output.count
        _ = RawFrame.take(from: &output)
        try require(output.isEmpty || isFailed, "\(output.count) of \(first) bytes are not whole frames")
        return bytes.count
    }

    /// What the session hands over lies in its buffers.
    private static func check(_ session: HTTP2Session) throws(Finding) {
        for request in session.requests {
            let bytes = request.bytes
            try require(0...bytes.count ~= request.headerLength, "header fields are part of the request")
            try require(request.bodyLength >= bytes.count - request.headerLength, "no more is stored than came")
            try require(request.streamID > 0, "a request has a stream")
            var start = 0
            while start < request.headerLength {
                try require(start + 4 <= request.headerLength, "a field has two lengths")
                let (name, value) = (Int(bytes[start]) | Int(bytes[start + 1]) << 8, start + 2)
                start += 4 + name + (Int(bytes[value]) | Int(bytes[value + 1]) << 8)
            }
            try require(start == request.headerLength, "header fields end where they say")
        }
    }
}
