import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario

/// A gateway with one connection, which plays a scenario, and the log that a server would have written.
struct PlayedGateway: ~Copyable {
    private static let start = Timestamp(seconds: 1_795_255_200)
    private static let defaultTeams = [Authentication.Team(teamID: "DEF123GHIJ", keys: [.init(keyID: "ABC123DEFG")])]
    private static let deviceToken = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
    private static let authorization = Array("bearer \(SampleToken.text)".utf8)

    private(set) var gateway: Gateway
    private(set) var log: [UInt8] = []
    private var writer = RecordWriter()
    private let connection: Int
    private var stream: UInt32 = 1
    private var now = start

    init(_ scenario: Scenario) {
        gateway = Gateway(
            scenario.configuration(seed: 1, defaultTeams: Self.defaultTeams), scenario: scenario, startedAt: Self.start)
        let facts = ConnectionFacts(
            remoteAddress: "127.0.0.1:50000", tlsVersion: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256")
        let connecting = gateway.connect(serverName: nil)
        connection = gateway.open(facts, after: connecting, at: Self.start).id
        _ = gateway.ping(on: connection, inFlight: 1)
        note(gateway.takeEffects())
    }

    /// Sends a good push, by default to the first device.
    mutating func push(
        topic: String = "com.example.app", authorization: [UInt8] = authorization
    ) throws(Finding) {
        let device = gateway.scenario.devices.first?.token.hex ?? Self.deviceToken
        let fields = [
            (":method", "POST"), (":scheme", "https"), (":path", "/3/device/" + device), (":authority", "localhost"),
            ("apns-topic", topic), ("apns-push-type", "alert"),
        ]
        var bytes: [UInt8] = []
        for (name, value) in fields { bytes.append(field: Array(name.utf8), Array(value.utf8)) }
        bytes.append(field: Array("authorization".utf8), authorization)
        let headerLength = bytes.count
        bytes += #"{"aps":{"alert":{"title":"Hi","body":"Hello"},"badge":1}}"#.utf8
        try receive(bytes, headerLength: headerLength, authorization: authorization)
    }

    /// Gives the gateway a request; returns the line of the log about it.
    @discardableResult
    mutating func receive(
        _ bytes: [UInt8], headerLength: Int, authorization: [UInt8]?
    ) throws(Finding) -> [UInt8] {
        var token: ProviderToken?
        if let authorization {
            token =
                switch ParsedProviderToken.parse(authorization.span) {
                case .missing: nil
                case .malformed(let explanation):
                    ProviderToken(malformed: explanation, authorization: authorization.span)
                case .parsed(let parsed):
                    ProviderToken(parsed, authorization: authorization.span, proof: .verified)
                }
        }
        var facts = RequestFacts(
            streamID: stream, headerLength: headerLength, bodyLength: bytes.count - headerLength, inFlight: 1)
        facts.providerToken = token
        let decision = gateway.receive(
            ParsedRequest(facts, bytes: bytes.span), bytes: bytes.span, on: connection, at: gateway.moment(at: now))
        stream += 2
        now.milliseconds += 1000
        if let response = decision.response, response.delay > 0 {
            _ = gateway.due(response, latencyMicroseconds: 1000, at: gateway.clock.time(at: now))
        }
        let start = log.count
        let isWritten = gateway.log.snapshot.append(gateway.log.latestSequence, using: &writer, to: &log)
        try require(isWritten, "a request that was received is in the log")
        log.append(UInt8(ascii: "\n"))
        let line = Array(log[start...])
        note(gateway.takeEffects())
        return line
    }

    /// Lets everything happen that is due within an hour and by the end of the timeline.
    mutating func advance() throws(Finding) {
        if gateway.scenario.clock.isManual {
            note((try? gateway.advance(by: 3_600_000)) ?? [])
            note(gateway.advanceToEndOfTimeline())
        } else {
            now.milliseconds += 3_600_000
            note(gateway.advance(to: now))
        }
    }

    /// The judgement is that of a recorded log, which can be read without a mistake.
    mutating func judge() throws(Finding) {
        _ = gateway.verificationInput(at: now).verify().description
        var recorded = RecordedLog(of: gateway.scenario)
        do throws(RecordedLog.Mistake) {
            try recorded.read(log.span)
            try recorded.finish()
        } catch {
            throw Finding(description: "a log can be read back, not \(error)")
        }
        _ = recorded.input.verify().description
    }

    private mutating func note(_ effects: [GatewayEffect]) {
        for case .event(let event) in effects { event.appendLine(at: now, to: &log) }
    }
}

extension [UInt8] {
    /// Appends a header field as the transport hands it over.
    mutating func append(field name: [UInt8], _ value: [UInt8]) {
        for count in [name.count, value.count] {
            append(UInt8(truncatingIfNeeded: count))
            append(UInt8(truncatingIfNeeded: count >> 8))
        }
        self += name
        self += value
    }
}
