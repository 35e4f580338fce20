import Testing

@testable package import MockAPNSCore

/// A gateway with one connection to it, and what a push needs so that nothing is wrong with it.
package struct GatewayRig: ~Copyable {
    package static let now = Timestamp(seconds: 1_795_255_200)
    package static let deviceToken = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
    package static let teams = [
        Authentication.Team(teamID: "DEF123GHIJ", keys: [.init(keyID: "ABC123DEFG"), .init(keyID: "ABC123DEFH")])
    ]

    package var gateway: Gateway
    package var connection: Int
    package var now = Self.now
    /// The time on the scenario's clock, if it is another.
    package var clock: Timestamp?

    package init(_ change: (inout GatewayConfiguration) -> Void = { _ in }, facts: ConnectionFacts? = nil) {
        var configuration = GatewayConfiguration(seed: 1, authentication: Authentication(teams: Self.teams))
        change(&configuration)
        gateway = Gateway(configuration, startedAt: Self.now)
        connection = gateway.openConnection(facts ?? .example, at: Self.now)
        _ = gateway.takeEffects()
    }

    /// What came of a push.
    package struct Seen {
        package var status: UInt16?
        package var reason: String?
        package var explanation: String
        package var apnsID: String?
        package var uniqueID: String?
        package var timestamp: Timestamp?
        package var streamLimit: Int?
        package var actions: [ConnectionAction]
        package var record: RequestRecord
    }

    /// Declares the device of the example's token.
    package mutating func declare(_ change: (inout Device) -> Void) {
        var device = Device(topics: [gateway.state.devices.topics.intern("com.example.app")!])
        device.name = "alice"
        change(&device)
        #expect(gateway.state.devices.declare(device, DeviceToken(hex: Self.deviceToken)!) != nil)
    }

    /// Carries out orders for the first connection, and closes it, as a server does.
    ///
    /// - Parameter closer: who ends it before they are carried out.
    package mutating func carryOut(_ orders: [ConnectionAction], endedBy closer: ClosedBy? = nil) {
        var life = ConnectionLife.open
        for order in orders { life.apply(order) }
        _ = closer.map { life.end(by: $0) } ?? life.settle(.init())
        gateway.closeConnection(connection, by: life.closedBy, counters: .init(), at: now)
    }

    /// Sends a push in which nothing is wrong but what is changed.
    @discardableResult
    package mutating func send(_ push: ExamplePush = ExamplePush(), on other: Int? = nil) -> Seen {
        let (bytes, headerLength) = push.bytes
        let token = push.token.flatMap { gateway.remembered($0, proof: push.proof) }
        let decision = gateway.receive(
            RequestFacts(
                streamID: push.stream, headerLength: headerLength, bodyLength: push.bodyLength ?? push.body.count,
                inFlight: 1, fault: push.fault, providerToken: token),
            bytes: bytes.span, on: other ?? connection, at: Moment(real: now, clock: clock))
        let log = gateway.log.open
        let record = log.records.last!
        var explanation = [UInt8]()
        if let range = record.explanationRange.range {
            let recorded = log.bytes(of: record, at: log.records.count - 1).extracting(range.range)
            for index in 0..<recorded.count { explanation.append(recorded[index]) }
        }
        return Seen(
            status: decision.answer?.status, reason: decision.answer?.reason?.name,
            explanation: String(decoding: explanation, as: UTF8.self), apnsID: decision.answer?.apnsID.text,
            uniqueID: decision.answer?.uniqueID?.text, timestamp: decision.answer?.timestamp,
            streamLimit: decision.streamLimit, actions: decision.actions, record: record)
    }
}

/// A request: a good push unless something is changed.
package struct ExamplePush {
    package var method: String? = "POST"
    package var path: String? = "/3/device/" + GatewayRig.deviceToken
    /// The value of `authorization`.
    package var token: String? = bearer()
    package var topic: String? = "com.example.app"
    package var fields: [(String, String)] = []
    package var body = Array(#"{"aps":{"alert":"Hello"}}"#.utf8)
    /// The length of the body where it is not all stored.
    package var bodyLength: Int?
    package var fault: RequestFacts.Fault?
    package var stream: UInt32 = 1
    package var proof = ProviderToken.Proof.verified

    package init(_ fields: (String, String)...) { self.fields = fields }

    package init(_ change: (inout Self) -> Void) { change(&self) }

    package var bytes: (bytes: [UInt8], headerLength: Int) {
        var all: [(String, String)] = []
        if let method { all.append((":method", method)) }
        all.append((":scheme", "https"))
        if let path { all.append((":path", path)) }
        all.append((":authority", "localhost:2197"))
        if let token { all.append(("authorization", token)) }
        if let topic { all.append(("apns-topic", topic)) }
        all += fields
        let block = all.flatMap { name, value in
            [name, value].flatMap { [UInt8($0.utf8.count & 255), UInt8($0.utf8.count >> 8)] } + name.utf8 + value.utf8
        }
        return (block + body, block.count)
    }

    /// The value of an `authorization` field with a provider token.
    package static func bearer(
        keyID: String = "ABC123DEFG", teamID: String = "DEF123GHIJ", issuedAt: String = "1795255100", more: String = "",
        signature: [UInt8] = Array(repeating: 7, count: 64)
    ) -> String {
        let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
        let claims = #"{"iss":"\#(teamID)","iat":\#(issuedAt)\#(more)}"#
        return "bearer \(base64(header)).\(base64(claims)).\(base64(signature))"
    }
}

extension Gateway {
    /// Reads a request and decides about it.
    package mutating func receive(
        _ facts: RequestFacts, bytes: Span<UInt8>, on connection: Int, at now: Moment
    ) -> Decision {
        receive(ParsedRequest(facts, bytes: bytes), bytes: bytes, on: connection, at: now)
    }

    /// What a server makes of an `authorization` value, which it judges anew only where it has to: a good signature is
    /// remembered.
    package mutating func remembered(_ authorization: String, proof: ProviderToken.Proof) -> ProviderToken? {
        guard case .verified = proof else { return providerToken(authorization, proof: proof) }
        let bytes = Array(authorization.utf8)
        if let known = rememberedToken(bytes.span) { return known }
        let token = providerToken(authorization)
        if let token { remember(token) }
        return token
    }

    /// What a server makes of an `authorization` value.
    package func providerToken(_ authorization: String, proof: ProviderToken.Proof = .verified) -> ProviderToken? {
        let bytes = Array(authorization.utf8)
        return switch ParsedProviderToken.parse(bytes.span) {
        case .missing: nil
        case .malformed(let explanation): ProviderToken(malformed: explanation, authorization: bytes.span)
        case .parsed(let parsed): ProviderToken(parsed, authorization: bytes.span, proof: proof)
        }
    }
}

extension ConnectionFacts {
    package static let example = ConnectionFacts(
        remoteAddress: "127.0.0.1:50000", tlsVersion: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256")
}

extension APNSID {
    package var text: String { String(decoding: (0..<Self.length).map { bytes[$0] }, as: UTF8.self) }
}

/// Base64 in the URL's alphabet without padding, or in the standard one with it.
package func base64(_ bytes: some Sequence<UInt8>, standard: Bool = false) -> String {
    let letters =
        Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8) + (standard ? "+/" : "-_").utf8
    var text = [UInt8]()
    var bits = 0
    var count = 0
    for byte in bytes {
        bits = (bits & 0xFFFF) << 8 | Int(byte)
        count += 8
        while count >= 6 {
            count -= 6
            text.append(letters[bits >> count & 63])
        }
    }
    if count > 0 { text.append(letters[bits << (6 - count) & 63]) }
    while standard, text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
}

package func base64(_ text: String, standard: Bool = false) -> String { base64(Array(text.utf8), standard: standard) }

extension Gateway {
    /// Opens a connection of which only the number matters.
    package mutating func openConnection(_ facts: ConnectionFacts, at now: Timestamp) -> Int { open(facts, at: now).id }
}

extension RequestFacts {
    package init(
        streamID: UInt32, headerLength: Int, bodyLength: Int, inFlight: Int, fault: Fault? = nil,
        providerToken: ProviderToken?
    ) {
        self.init(streamID: streamID, headerLength: headerLength, bodyLength: bodyLength, inFlight: inFlight)
        (self.fault, self.providerToken) = (fault, providerToken)
    }
}
