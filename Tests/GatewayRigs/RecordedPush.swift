import Foundation
import Testing

@testable package import MockAPNSCore

/// A request with a record that fits it, to be put into a log.
package struct RecordedPush {
    package static let deviceToken = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
    package static let signature = String(repeating: "Sig-", count: 20) + "natur_"
    package static let withoutSignature =
        "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzk1MjU1MjAwfQ"

    package var fields: [(name: [UInt8], value: [UInt8])] = []
    package var body: [UInt8]
    package var record = RequestRecord()
    package var token: ProviderToken?
    package var attachments: [(RequestRecord.Attachment, String)] = []

    package init(body: String = #"{"aps":{"alert":"Hello"}}"#) {
        self.body = Array(body.utf8)
        record.time = Timestamp(milliseconds: 1_795_255_200_123)
        record.clock = Timestamp(milliseconds: 1_795_255_200_123)
        record.connectionID = 1
        record.stream = 1
    }

    /// An ordinary push with every field that APNs knows.
    package static func ordinary() -> Self {
        var push = Self()
        push.add(":method", "POST") { $0.method = $1 }
        push.add(":scheme", "https")
        push.add(":authority", "localhost:2197")
        push.add(":path", "/3/device/\(deviceToken)") {
            $0.path = $1
            $0.token = ByteRange(start: Int($1.start) + 10, count: Int($1.count) - 10)
        }
        push.addToken()
        push.add("apns-topic", "com.example.app") { $0.topic = $1 }
        push.add("apns-push-type", "alert") { $0.pushType = $1 }
        push.add("apns-priority", "10")
        push.add("apns-expiration", "0")
        push.add("apns-collapse-id", "score") { $0.collapseID = $1 }
        push.add("apns-id", "EABE9F27-06B2-4FCC-8E9B-3FA3D5B6A6B1") { $0.apnsID = .sent($1) }
        push.record.priority = 10
        push.record.expiration = 0
        push.record.inFlight = 1
        push.record.requestOnConnection = 1
        push.record.uniqueID = .init(high: 0x4084_a6e4_9ea8_6d2a, low: 0xca49_9a34_4a15_2da7)
        push.record.authentication = .token
        push.record.providerToken = 1
        push.record.verdict = .valid
        push.record.status = 200
        push.record.delivery = .delivered
        push.record.latencyMicroseconds = 85
        return push
    }

    package var headerLength: Int { fields.reduce(0) { $0 + 4 + $1.name.count + $1.value.count } }

    package mutating func add(
        _ name: String, _ value: String, _ note: (inout RequestRecord, ByteRange) -> Void = { _, _ in }
    ) {
        add(Array(name.utf8), Array(value.utf8))
        note(&record, ByteRange(start: headerLength - value.utf8.count, count: value.utf8.count))
    }

    package mutating func add(_ name: [UInt8], _ value: [UInt8]) { fields.append((name, value)) }

    package mutating func addToken(_ scheme: String = "bearer") {
        let value = "\(scheme) \(Self.withoutSignature).\(Self.signature)"
        token = Self.providerToken(value)
        add("authorization", value)
    }

    package static func providerToken(_ authorization: String) -> ProviderToken? {
        let bytes = Array(authorization.utf8)
        guard case .parsed(let parsed) = ParsedProviderToken.parse(bytes.span) else { return nil }
        return ProviderToken(parsed, authorization: bytes.span, proof: .verified)
    }

    @discardableResult
    package func append(to log: inout RequestLog, times: Int = 1) -> Int {
        var bytes: [UInt8] = []
        for field in fields {
            bytes += [field.name.count, field.value.count].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
            bytes += field.name + field.value
        }
        var record = record
        if record.payloadBytes == 0 { record.payloadBytes = UInt32(body.count) }
        let headerLength = bytes.count
        bytes += body
        var sequence = 0
        for _ in 0..<times {
            sequence = log.append(record, request: bytes.span, headerLength: headerLength, token: token)
            for (attachment, text) in attachments { log.attach(Array(text.utf8).span, as: attachment) }
        }
        return sequence
    }

    /// The line of the log for it.
    package func line() throws -> String {
        var log = RequestLog()
        append(to: &log)
        return try log.line(of: 1)
    }

    /// The line as Foundation's JSON reader reads it.
    package func parsed() throws -> [String: Any] { try parse(line()) }
}

extension RequestLog {
    package func line(of sequence: Int) throws -> String {
        var writer = RecordWriter()
        var line: [UInt8] = []
        try #require(appendLine(of: sequence, using: &writer, to: &line))
        return try #require(String(validating: line, as: UTF8.self))
    }

    /// The sequence numbers of all that is kept, in their order.
    package var sequences: [Int] { snapshot.sequences(RequestMatch()) }
}

package func parse(_ json: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
}
