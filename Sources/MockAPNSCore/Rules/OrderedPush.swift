/// A push that waits for its decision: in a fleet, until all replicas decide it in one order, because the decision depends
/// on shared state (rules that count, devices that store pushes or have a rate); in a relay, until the upstream answers.
///
/// It holds what the replica that received it knows and others do not: who sent it, and on which connection.
package struct OrderedPush: Sendable {
    /// The choice of a rule that each replica counts by itself.
    struct Choice: Sendable, Hashable {
        var rule: String
        var step: Int
    }

    /// The effects on a push, before it was decided in the order, of rules that each replica counts by itself.
    struct OwnRules: Sendable {
        /// The choice of one of them.
        var choice: Choice?
        /// Their counts, on its own replica.
        var counted: [RuleInForce.Counted] = []
    }

    /// What its replica knows of it.
    struct Content: Sendable {
        var request: ParsedRequest
        /// The header fields, then the stored part of the body.
        var bytes: [UInt8]
        /// The id of the connection, with a mark of the replica above its 32 bits.
        var connectionKey: Int
        var connectionNumber: Int?
        var requestOnConnection: Int
        var isSandbox: Bool
        var serverName: String?
        var highestStream: UInt32
        var credentials: Credentials
        /// Why the sender may not push, if so, or not for this topic.
        var rejection: Reason?
        /// The topic, if it is the only one of the client certificate.
        var defaultTopic: [UInt8] = []
        /// Whether its device was known when it was received.
        var isDeviceKnown: Bool
        /// The effects of its replica's rules on it.
        var ownRules = OwnRules()
    }

    /// A number among the pushes of its replica.
    package internal(set) var id: Int
    /// Whether its client no longer waits for the answer.
    var isCancelled = false
    /// The time from its last byte until it is decided, in microseconds.
    package var latencyMicroseconds = 0
    private var shared: Shared

    /// Shares the content, since a push is kept in several places at once.
    private final class Shared: Sendable {
        let content: Content
        init(_ content: consuming Content) { self.content = content }
    }

    init(_ content: consuming Content, id: Int) { (shared, self.id) = (Shared(content), id) }

    var content: Content {
        _read { yield shared.content }
        set { shared = Shared(newValue) }
    }

    /// The id of the connection on its replica; 0 for a push from the admin API.
    package var connection: Int { content.connectionKey & Int(UInt32.max) }
    /// The stream on that connection.
    package var stream: UInt32 { content.request.facts.streamID }
}

extension OrderedPush.Content {
    /// Keeps a request.
    ///
    /// - Parameters:
    ///   - facts: those of its connection.
    ///   - mark: the mark of the replica.
    init(_ request: inout RequestContext, on facts: ConnectionFacts, mark: Int = 0) {
        let origin = request.origin
        self.request = ParsedRequest(request.facts, request.push)
        bytes = Array(copying: request.bytes)
        connectionKey = mark | origin.id
        connectionNumber = origin.number
        requestOnConnection = origin.request
        isSandbox = origin.isSandbox
        serverName = facts.serverName
        highestStream = origin.highestStream
        credentials = request.credentials
        isDeviceKnown = request.device != nil
    }
}

extension RequestOrigin {
    /// Creates the origin of a request that a fleet has ordered.
    ///
    /// - Parameter index: the index of its connection, or of a stand-in for it.
    init(_ push: OrderedPush.Content, at index: Int, serverNameIndex: UInt16) {
        self.index = index
        id = push.connectionKey
        number = push.connectionNumber
        request = push.requestOnConnection
        isSandbox = push.isSandbox
        self.serverNameIndex = serverNameIndex
        serverName = push.serverName
        highestStream = push.highestStream
    }
}

// MARK: - The binary form

extension OrderedPush {
    /// The version of the binary form.
    private static let version: UInt8 = 1
    /// Maximum number of pushes that are read at a time.
    package static let batchLimit = 1000

    /// Returns the binary form of pushes, without the signatures of provider tokens.
    package static func bytes(of pushes: some Collection<OrderedPush>) -> [UInt8] {
        var output: [UInt8] = [version]
        output.appendNumber(pushes.count)
        for push in pushes { push.append(to: &output) }
        return output
    }

    /// About the number of bytes of its binary form; with the signature of its provider token, some more.
    package var size: Int { content.bytes.count + 100 }

    private func append(to output: inout [UInt8]) {
        let content = content
        let (facts, bytes) = (content.request.facts, content.bytes)
        var kept: [UInt8] = []
        var record = RequestRecord()
        kept.appendCuttingSignatures(bytes.span, headerLength: facts.headerLength, record: &record)
        let headerLength = kept.count
        kept.append(contentsOf: bytes[min(facts.headerLength, bytes.count)...])
        output.appendNumber(id)
        output.appendNumber(facts.streamID)
        output.appendNumber(facts.inFlight)
        output.appendNumber(facts.bodyLength)
        output.appendNumber(content.connectionKey)
        output.appendNumber(content.connectionNumber.map { $0 + 1 } ?? 0)
        output.appendNumber(content.requestOnConnection)
        output.appendNumber(content.highestStream)
        output.appendNumber((content.isSandbox ? 1 : 0) | (content.isDeviceKnown ? 2 : 0))
        output.appendText(content.serverName)
        output.append(content.credentials.method.code)
        output.appendNumber(content.credentials.tokenNumber)
        output.append(content.rejection.map { $0.code + 1 } ?? 0)
        output.appendText(facts.providerToken?.keyID)
        output.appendText(facts.providerToken?.teamID)
        output.appendText(content.defaultTopic)
        output.appendText(content.ownRules.choice?.rule)
        output.appendNumber(content.ownRules.choice?.step ?? 0)
        output.appendNumber(headerLength)
        output.appendText(kept)
    }

    /// Reads pushes of another replica.
    ///
    /// - Throws: ``FrameMistake`` for anything else.
    package static func pushes(from bytes: Span<UInt8>) throws(FrameMistake) -> [OrderedPush] {
        var input = FrameInput(bytes)
        let version = try input.byte()
        try input.expect(version == Self.version, "version \(version)")
        let count: Int = try input.number(atMost: batchLimit)
        var pushes: [OrderedPush] = []
        for _ in 0..<count { pushes.append(try OrderedPush(&input)) }
        try input.expect(input.isAtEnd, "anything after the last push")
        return pushes
    }

    private init(_ input: inout FrameInput) throws(FrameMistake) {
        let id: Int = try input.number(atMost: 1 << 52)
        self.init(try Content(&input, of: id), id: id)
    }
}

extension OrderedPush.Content {
    /// Maximum length of the bytes of a push.
    private static let byteLimit = 1 << 20

    fileprivate init(_ input: inout FrameInput, of id: Int) throws(FrameMistake) {
        let stream: UInt32 = try input.number()
        let inFlight: Int = try input.number(atMost: Int(UInt32.max))
        let bodyLength: Int = try input.number(atMost: Int(UInt32.max))
        connectionKey = try input.number()
        let connectionNumber: Int = try input.number(atMost: 1 << 52)
        self.connectionNumber = connectionNumber == 0 ? nil : connectionNumber - 1
        requestOnConnection = try input.number(atMost: 1 << 52)
        highestStream = try input.number()
        let flags: UInt8 = try input.number(atMost: 3)
        (isSandbox, isDeviceKnown) = (flags & 1 != 0, flags & 2 != 0)
        serverName = try input.textIfAny()
        credentials = Credentials(method: try input.word())
        credentials.tokenNumber = try input.number()
        rejection = try input.wordIfAny()
        credentials.rejection = rejection.map { Rejection($0, .none) }
        let (keyID, teamID) = (try input.textIfAny(), try input.textIfAny())
        defaultTopic = try input.text(atMost: Int(UInt16.max))
        let (rule, step): (String?, Int) = (try input.textIfAny(), try input.number(atMost: 1 << 32))
        ownRules.choice = rule.map { .init(rule: $0, step: step) }
        let headerLength: Int = try input.number(atMost: Self.byteLimit)
        let bytes = try input.text(atMost: Self.byteLimit)
        try input.expect(
            HeaderFields.areWhole(in: bytes.span, length: headerLength) && bytes.count - headerLength <= bodyLength,
            "the header of push \(id)")
        var facts = RequestFacts(
            streamID: stream, headerLength: headerLength, bodyLength: bodyLength, inFlight: inFlight)
        if keyID != nil || teamID != nil {
            facts.providerToken = ProviderToken(
                recorded: [], hash: 0, keyID: keyID, teamID: teamID, issuedAt: nil, signatureForm: nil)
        }
        if !defaultTopic.isEmpty {
            credentials.topics = TopicList([String(decoding: defaultTopic, as: UTF8.self)])
        }
        self.bytes = bytes
        request = ParsedRequest(facts, bytes: bytes.span)
    }
}

extension HeaderFields {
    /// Whether the first `length` bytes are whole fields.
    fileprivate static func areWhole(in bytes: Span<UInt8>, length: Int) -> Bool {
        guard length <= bytes.count else { return false }
        var offset = 0
        while offset + 4 <= length {
            let name = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
            let value = Int(bytes[offset + 2]) | Int(bytes[offset + 3]) << 8
            offset += 4 + name + value
        }
        return offset == length
    }
}
