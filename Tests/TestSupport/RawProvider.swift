package import MockAPNSCore
package import TestClients

@testable package import MockAPNS

/// Providers that leave nothing to nghttp2, so that a test sees what a client library would hide.
extension TestProvider {
    /// Connects, sends preface and SETTINGS and acknowledges the server's; PING shows that all was read.
    package static func raw(
        to server: MockAPNSServer, tls: TestTLSClient.Setup = .init()
    ) async throws -> TestProvider {
        let provider = try await connect(to: server, tls: tls, speech: .tls)
        try await provider.wait { $0.frames.first }
        try await provider.send(RawFrame.preface + [RawFrame.settings(), .settingsAcknowledgement].bytes)
        try await provider.ping()
        return provider
    }

    /// Sends a request and returns the frames of its stream, once it is answered or reset.
    package func exchange(_ push: TestPush, on stream: Int32) async throws -> [RawFrame] {
        try await send(push.frames(on: stream))
        return try await framesOfEnded(stream)
    }

    /// The frames of a stream that the server has ended or reset.
    package func framesOfEnded(_ stream: Int32) async throws -> [RawFrame] {
        try await wait { client in
            let frames = client.frames.filter { $0.stream == stream }
            let isEnded = frames.contains {
                $0.kind == .reset || ($0.kind == .headers || $0.kind == .data) && $0.flags & RawFrame.endStream != 0
            }
            return isEnded ? frames : nil
        }
    }

    /// The frames since the connection's beginning that are neither SETTINGS acknowledgements nor PING.
    package var story: [RawFrame] {
        get async throws {
            try await frames.filter { $0.kind != .ping && !($0.kind == .settings && $0.flags == 1) }
        }
    }

    /// What the server has said of its end, once it has ended: close_notify, or TCP RST.
    package func end() async throws -> (saidGoodbye: Bool, wasReset: Bool) {
        try await wait { $0.hasEnded ? ($0.tls?.isClosed ?? false, $0.wasReset) : nil }
    }
}

extension [RawFrame] {
    /// The limits of streams that SETTINGS frames announced, in order.
    package var streamLimits: [UInt32] {
        of(.settings).flatMap { frame in
            stride(from: 0, to: frame.payload.count, by: 6).compactMap { index in
                frame.payload[index + 1] == 3 ? RawFrame.value(frame.payload[index + 2..<index + 6]) : nil
            }
        }
    }
}

extension TestClients.GoAway {
    /// A frame with a reason as APNs writes it.
    package static func reason(_ reason: String, lastStream: Int32) -> Self {
        Self(lastStream: lastStream, errorCode: 0, text: #"{"reason":"\#(reason)"}"#)
    }
}

extension MockAPNSServer {
    /// Who ended a connection, once its end is known: that may be a moment after the client has seen it.
    package func closer(of number: Int) async throws -> ClosedBy? {
        try await until { $0.connection(number)?.closedAt != nil }
        return connection(number)?.closedBy
    }
}
