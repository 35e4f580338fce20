package import MockAPNSCore

/// A group of probes.
package enum ProbeGroup: String, Sendable, CaseIterable {
    /// The answers, and the order of the checks.
    case checks
    /// Provider tokens and client certificates.
    case tokens
    /// Header fields of a push.
    case headers
    /// The body of a push.
    case payload
    /// TLS, SETTINGS and frames.
    case connection
    /// Limits of streams, tokens and devices.
    case limits
    /// How connections end.
    case shutdown
    /// Broadcast channels.
    case broadcast

    /// Whether a server that has not been named as one's own gets these probes only on request: they make it slow down,
    /// or leave something there.
    package var isOnlyOnRequest: Bool { self == .tokens || self == .limits || self == .broadcast }
}

/// Something that is sent to a server that claims to be APNs, and what it should answer. It is data: see the folder
/// `Data`.
package struct Probe: Sendable {
    package var group: ProbeGroup
    /// Unique in the group.
    package var name: String
    /// The behavior of APNs, in one sentence.
    package var title: String
    /// Why that is known.
    package var fact: FidelityFact
    /// The address or the observation that ``fact`` rests on, as plain text.
    package var source: String
    /// A connection of its own; `nil` if the probe uses the one of all such probes.
    package var connection: ProbeConnectionSetup?
    package var steps: [ProbeStep]

    /// `GROUP/NAME`.
    package var path: String { "\(group.rawValue)/\(name)" }

    /// Its requests, in order.
    package var sentRequests: [ProbeRequest] {
        steps.compactMap { if case .request(let request, _) = $0.action { request } else { nil } }
    }

    /// Where it is sent: a probe with a call that manages channels is for the address that manages channels.
    package var endpoint: ProbeEndpoint {
        sentRequests.contains { $0.call.isManagement } ? .management : .provider
    }
}

/// One of the addresses of APNs.
package enum ProbeEndpoint: String, Sendable, CaseIterable {
    /// Where pushes are sent and published.
    case provider
    /// Where channels are made, read, deleted and listed. Apple has another host and port for it.
    case management
}

/// How a probe's own connection is opened.
package struct ProbeConnectionSetup: Sendable {
    /// When the client sends its preface.
    package enum Preface: String, Sendable, CaseIterable {
        case atOnce
        /// Once the server's SETTINGS have arrived.
        case afterSettings
        /// Never: the probe sends something else.
        case never
    }

    package var versions = TLSVersions.all
    /// The protocols offered by ALPN; empty for no ALPN.
    package var protocols = ["h2"]
    package var certificate: CertificateKind?
    package var preface = Preface.atOnce
    /// Whether the server's SETTINGS are acknowledged.
    package var acknowledges = true
}

/// The versions of TLS that a client offers.
package enum TLSVersions: String, Sendable, CaseIterable {
    case all, tls12, tls13
}

/// A provider certificate that a probe needs.
package enum CertificateKind: String, Sendable, CaseIterable {
    /// The one of `--certificate`.
    case provider
    case severalTopics, expired, revoked, otherEnvironment, unknownAuthority, notPush
}

/// A device token that a probe needs.
package enum DeviceKind: String, Sendable, CaseIterable {
    /// One of those of `--device-token`.
    case registered
    case unregistered, expired, otherEnvironment, otherTopic, throttled, long
    /// That of a registered device, or a made-up one: it must not matter.
    case any
}

/// A signing key that a probe needs.
package enum KeyKind: String, Sendable, CaseIterable {
    /// The one of `--key`.
    case provider
    case otherTeam, otherEnvironment, topicSpecific, unrelated, revoked
    /// A fresh one, which no server knows.
    case unknown
}

/// A broadcast channel that a probe needs. The run makes it, and deletes it.
package enum ChannelKind: String, Sendable, CaseIterable {
    /// One that stores its most recent push.
    case stored
    /// One that stores nothing.
    case unstored
    /// One that has been deleted.
    case deleted
    /// One that no other probe uses, so that it may be deleted.
    case fresh
}

/// A topic that a probe needs.
package enum TopicKind: String, Sendable, CaseIterable {
    /// The one of `--topic`.
    case provider
    /// Of an app without the broadcast capability.
    case withoutBroadcast
    /// Of an app that has as many channels as it may have.
    case full
}

/// A step of a probe: something sent, or a look at the connection.
package struct ProbeStep: Sendable {
    package enum Action: Sendable {
        /// Sends a request, and by default waits for the answer.
        case request(ProbeRequest, waits: Bool)
        /// Ends the request with this number, counted from 1, with an empty DATA frame, and waits for its answer.
        case finish(Int)
        /// Waits for the answer to the request with this number.
        case answer(Int)
        /// Sends frames as they are.
        case frames([ProbeFrame])
        /// Sends text as it is.
        case text(String)
        /// Looks at the connection.
        case connection(Moment)
    }

    /// When a step looks at the connection.
    package enum Moment: String, Sendable, CaseIterable {
        /// When a PING has been answered, or the connection has ended.
        case settled
        /// When the connection has ended.
        case ended
        /// When the server's first SETTINGS have arrived.
        case settings
    }

    package var action: Action
    /// Templates of the answer, of which one has to fit; empty if there is nothing to compare.
    package var expected: [JSONText.Value]
}

/// The purpose of a request, which says what an ordinary one is.
package enum ProbeCall: String, Sendable, CaseIterable {
    /// A push to a device.
    case push
    /// A call about broadcast channels.
    case create, read, delete, list, publish

    /// Whether it is a call that manages channels.
    var isManagement: Bool { self != .push && self != .publish }
}

/// A request, as it differs from an ordinary one.
package struct ProbeRequest: Sendable {
    /// The value of a field.
    package enum Value: Sendable {
        /// With placeholders such as `{topic}`.
        case text(String)
        /// A text several times.
        case repeated(String, Int)
        case token(ProviderTokenShape)
    }

    package enum Body: Sendable, Equatable {
        case none
        /// With placeholders.
        case text(String)
        /// An alert padded to this number of bytes.
        case padded(Int)
        case hex([UInt8])
    }

    package var call = ProbeCall.push
    /// Fields that replace those of an ordinary request, or are added; with no values, the field is left out.
    package var fields: [(name: String, values: [Value])] = []
    /// All fields, instead of those of an ordinary request; `nil` for those.
    package var list: [(name: String, value: Value)]?
    package var body: Body
    package var framing = ProbeFraming()

    /// Creates an ordinary request.
    package init(_ call: ProbeCall = .push) {
        self.call = call
        body = call.usualBody
    }

    /// Whether a push to a device may be delivered: such pushes are announced.
    package var pushType: String {
        guard let values = fields.first(where: { $0.name == "apns-push-type" })?.values else { return "alert" }
        if case .text(let text) = values.first { return text }
        return "no type"
    }
}

/// How a request is put into frames.
package struct ProbeFraming: Sendable {
    /// The number of DATA frames.
    package var dataFrames = 1
    /// Whether END_STREAM comes on an empty DATA frame.
    package var hasEmptyLastFrame = false
    /// Bytes of padding in each frame; `nil` for frames that are not padded.
    package var padding: Int?
    /// Whether the header block is cut into HEADERS and CONTINUATION.
    package var isContinued = false
    /// Whether the fields are compressed with the dynamic table and Huffman coding.
    package var isCompressed = false
    /// Whether the request has an end; if not, a later step ends it.
    package var ends = true
    /// Whether HEADERS has priority information, which is obsolete.
    package var hasPriority = false
    /// The size that the header list gets by a field `x-probe`, as HTTP/2 counts it; `nil` for no such field.
    package var headerListSize: Int?
}

/// A frame as a probe writes it.
package struct ProbeFrame: Sendable {
    package enum Stream: Sendable {
        case number(Int)
        /// That of the latest request.
        case latest
    }

    package var type: UInt8
    package var flags: UInt8
    package var stream: Stream
    package var payload: [UInt8]
}

/// A provider token, as it differs from a usual one.
package struct ProviderTokenShape: Sendable {
    package enum Signature: String, Sendable, CaseIterable {
        case raw, der
        /// Of another key.
        case wrong
        /// No third part.
        case missing
    }

    package enum IssuedAtForm: String, Sendable, CaseIterable {
        case integer, string, fraction, milliseconds, missing
    }

    package var key = KeyKind.provider
    package var scheme = "bearer "
    package var signature = Signature.raw
    /// Whether it uses the alphabet of base64 with `+` and `/` instead of that for addresses.
    package var hasStandardAlphabet = false
    package var isPadded = false
    package var algorithm = "ES256"
    /// Whether `kid` is in the header.
    package var namesKey = true
    /// Whether `iss` is in the claims.
    package var namesTeam = true
    /// Seconds before now; negative for the future.
    package var age = 0
    package var issuedAtForm = IssuedAtForm.integer
    /// Whether `typ` is in the header, and the JSON is written over several lines.
    package var isVerbose = false
}
