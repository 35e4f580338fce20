import ArgumentParser
import MockAPNS
import MockAPNSCore
import NIOCore
import NIOHTTP1
import NIOPosix

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Calls the admin API of a running server, with a new connection for each call.
struct AdminClient {
    struct Answer {
        let status: Int
        /// The status code with its reason phrase, as in `503 Service Unavailable`.
        let statusLine: String
        let body: [UInt8]

        /// Explains an unexpected answer by its body, to be appended to a sentence: the message of the admin API, that
        /// this is the provider port, or the beginning of any other text.
        func explanation(at address: String) -> String {
            let error = (try? JSONText.read(body, .recorded))?["error"]
            if let message = error?["message"]?.string { return " \(message)" }
            let text = String(decoding: body.prefix(4 * Self.shownLength), as: UTF8.self)
            if let answer = ProviderPortAnswer(text) {
                let advice = answer.adminURL.map { "the admin API is at \($0)" } ?? AdminClient.advice
                return " \(address) is the provider port, which takes pushes; \(advice)."
            }
            let shown = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if shown.isEmpty { return "" }
            let isCut = shown.count > Self.shownLength || body.count > 4 * Self.shownLength
            return " It says: \"\(shown.prefix(Self.shownLength))\(isCut ? "…" : "")\""
        }

        private static let shownLength = 200
    }

    /// Where the URL of the admin API is found.
    static let advice = "the URL of the admin API is \"admin\" in the server's ready line"

    /// The address if neither an option nor a variable sets one.
    static let defaultAddress = "http://127.0.0.1:2198"
    private static let sessions = APICall.listSessions.path + "/"
    /// Maximum size of an answer in bytes: that of the longest, a scenario of 64 MB.
    private static let bodyLimit = 64 << 20

    /// The server has sent more than any answer has.
    struct ExcessiveAnswer: Error {}

    /// The address as given.
    let address: String
    private let host: String
    private let port: Int
    private let token: String?
    /// The prefix of each call's path: empty, or `/api/v1/sessions/NAME` for the calls of a session.
    private var session: String

    /// Whether the calls are those of a session.
    var isOfSession: Bool { !session.isEmpty }

    /// - Parameters:
    ///   - address: as in `http://127.0.0.1:2198`, or in `http://127.0.0.1:2198/api/v1/sessions/NAME`.
    ///   - name: the option or variable that the address comes from.
    ///   - token: the token of the admin listener; if `nil`, the value of the variable `MOCK_APNS_ADMIN_TOKEN`.
    init(_ address: String, from name: String, token: String? = nil) throws {
        let url = URL(string: address)
        if url?.scheme == "https" {
            throw ValidationError(
                "\(name) is \"\(address)\"; the admin API speaks plain HTTP, as in \(Self.defaultAddress), and https:// is for the provider port: \(Self.advice)."
            )
        }
        guard let url, url.scheme == "http", let host = url.host(), !host.isEmpty else {
            throw ValidationError("\(name) is \"\(address)\"; it must look like \(Self.defaultAddress).")
        }
        self.address = address
        var path = url.path
        while path.last == "/" { path.removeLast() }
        let isSession = path.hasPrefix(Self.sessions) && path.dropFirst(Self.sessions.count).allSatisfy { $0 != "/" }
        guard path.isEmpty || isSession else {
            throw ValidationError("\(name) is \"\(address)\"; its path is not that of a session, \(Self.sessions)NAME.")
        }
        session = path
        self.host = host.filter { $0 != "[" && $0 != "]" }
        port = url.port ?? 80
        self.token = try Self.token(token)
    }

    /// Returns the token to send: the given one, or the value of the variable `MOCK_APNS_ADMIN_TOKEN`.
    static func token(_ given: String?) throws(ValidationError) -> String? {
        let token = given ?? variable(AdminOptions.tokenVariable)
        // It goes into a header field.
        if let token, !token.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) {
            throw ValidationError("The token for the admin port must be ASCII text without spaces.")
        }
        return token
    }

    /// Returns the value of a variable; `nil` if it is unset or empty.
    static func variable(_ name: String) -> String? {
        let value = ProcessInfo.processInfo.environment[name]
        return value?.isEmpty == false ? value : nil
    }

    /// Returns the client for the calls of a session.
    func client(ofSession name: String) -> Self {
        var client = self
        client.session = APICall.getSession.path([name])
        return client
    }

    /// Makes one call and reads its answer.
    ///
    /// - Parameters:
    ///   - query: the query of its URL.
    ///   - seconds: the time limit for everything together.
    ///   - limit: the maximum size of the answer in bytes.
    /// - Throws: ``ExcessiveAnswer`` if it is longer.
    func send(
        _ call: APICall, query: String = "", body: [UInt8]? = nil, within seconds: Int64,
        atMost limit: Int = Self.bodyLimit
    ) async throws -> Answer {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(min(seconds, 5)))
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel)
                }
            }
        let deadline = channel.channel.eventLoop.scheduleTask(in: .seconds(seconds)) {
            channel.channel.close(promise: nil)
        }
        defer { deadline.cancel() }
        return try await channel.executeThenClose { answers, requests in
            // At once: a server that answers the head, and closes, would make writing the end an error.
            try await requests.write(contentsOf: parts(of: head(call, query, length: body?.count), body))
            var status: HTTPResponseStatus?
            var text: [UInt8] = []
            for try await part in answers {
                switch part {
                case .head(let head): status = head.status
                case .body(let piece):
                    guard piece.readableBytes <= limit - text.count else { throw ExcessiveAnswer() }
                    text += piece.readableBytesView
                case .end:
                    guard let status else { throw ChannelError.eof }
                    return Answer(status: Int(status.code), statusLine: "\(status)", body: text)
                }
            }
            throw ChannelError.eof
        }
    }

    private func parts(of head: HTTPRequestHead, _ body: [UInt8]?) -> [HTTPClientRequestPart] {
        let text = body.map { HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: $0))) }
        return [.head(head), text, .end(nil)].compactMap { $0 }
    }

    private func head(_ call: APICall, _ query: String, length: Int?) -> HTTPRequestHead {
        let name = host.contains(":") ? "[\(host)]" : host
        var fields: HTTPHeaders = ["host": "\(name):\(port)", "connection": "close"]
        if let length {
            fields.add(name: "content-type", value: "application/json")
            fields.add(name: "content-length", value: "\(length)")
        }
        if let token { fields.add(name: "authorization", value: "Bearer \(token)") }
        let path = APICall.path(call.path, below: session)
        return HTTPRequestHead(
            version: .http1_1, method: .init(rawValue: call.method.rawValue),
            uri: query.isEmpty ? path : "\(path)?\(query)", headers: fields)
    }
}
