import GatewayRigs
import Testing

@testable import MockAPNSCore

/// What a writer remembers of the record before must not get into a record that differs.
@Suite struct RecordTextsTests {
    private static let changes: [(String, @Sendable (inout RecordedPush) -> Void)] = [
        ("nothing", { _ in }),
        ("path", { $0.fields[3].value[40] ^= 1 }),
        ("time", { $0.record.time.milliseconds += 1001 }),
        ("clock", { $0.record.clock.milliseconds += 1 }),
        ("connection", { $0.record.connectionID = 2 }),
        ("stream", { $0.record.stream = 3 }),
        ("body", { $0.body[8] ^= 1 }),
        ("no JSON", { $0.body[0] ^= 1 }),
        ("no body", { $0.body = [] }),
        ("body in part", { $0.record.payloadBytes = 9999 }),
        ("path of a device", { $0.record.isPathPlain = true }),
        (
            "path of a device in another case",
            {
                $0.record.isPathPlain = true
                $0.fields[3].value[40] ^= 0x20
            }
        ),
        ("authority", { $0.fields[2].value[0] ^= 1 }),
        ("topic", { $0.fields[5].value[0] ^= 1 }),
        ("last field", { $0.fields[10].value[35] ^= 1 }),
        ("a name", { $0.fields[10].name[0] ^= 1 }),
        ("one field more", { $0.add("x", "y") }),
        ("topic of the certificate", { $0.attachments = [(.topic, "com.example.a")] }),
        ("another topic of the certificate", { $0.attachments = [(.topic, "com.example.b")] }),
        ("device", { $0.attachments = [(.device, "alice")] }),
        ("no topic", { $0.record.topic = nil }),
        ("no push type", { $0.record.pushType = nil }),
        ("no collapse id", { $0.record.collapseID = nil }),
        ("no path", { $0.record.path = nil }),
        ("no method", { $0.record.method = nil }),
        ("priority", { $0.record.priority = 5 }),
        ("expiration", { $0.record.expiration = 7 }),
        ("token", { $0.token = RecordedPush.providerToken("Bearer \(RecordedPush.withoutSignature).c2ln") }),
        ("no token", { $0.token = nil }),
        ("authentication", { $0.record.authentication = .certificate }),
        ("number of the token", { $0.record.providerToken = 2 }),
        ("verdict", { $0.record.verdict = .rejected(.invalidProviderToken) }),
        ("status", { $0.record.status = 410 }),
        ("no status", { $0.record.status = nil }),
        ("reason", { $0.record.reason = .badTopic }),
        ("retry-after", { $0.record.retryAfter = 30 }),
        ("another retry-after", { $0.record.retryAfter = 31 }),
        ("reset code", { $0.record.resetCode = 7 }),
        ("another reset code", { $0.record.resetCode = 8 }),
        ("outcome", { $0.record.outcome = .cancelled }),
        ("decided by", { $0.record.decidedBy = .device }),
        ("delivery", { $0.record.delivery = nil }),
        ("replaced", { $0.record.replacedBy = 9 }),
        ("explanation", { $0.attachments = [(.explanation, "one")] }),
        ("another explanation", { $0.attachments = [(.explanation, "two")] }),
        ("rule", { $0.attachments = [(.rule, "one")] }),
        ("another rule", { $0.attachments = [(.rule, "two")] }),
        ("nothing again", { _ in }),
    ]

    @Test func aUsedWriterWritesLikeANewOne() throws {
        // Each change after each other, as each could be left over from the one before.
        let pushes = Self.changes.map { name, change in
            var push = RecordedPush.ordinary()
            change(&push)
            return (name, push)
        }
        for (before, first) in pushes {
            var log = RequestLog()
            var writer = RecordWriter()
            for (name, second) in pushes {
                for push in [first, second] {
                    let sequence = push.append(to: &log)
                    var line: [UInt8] = []
                    log.appendLine(of: sequence, using: &writer, to: &line)
                    let expected = try log.line(of: sequence)
                    #expect(String(decoding: line, as: UTF8.self) == expected, "\(before), \(name)")
                }
            }
        }
    }
}

@Suite struct APNSIDTests {
    @Test(arguments: [true, false]) func writesItsDigitsInTheirPlaces(uppercase: Bool) {
        let id = APNSID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210, uppercase: uppercase)
        let text = "01234567-89ab-cdef-fedc-ba9876543210"
        #expect(String(decoding: id.bytes, as: UTF8.self) == (uppercase ? text.uppercased() : text))
    }

    @Test func keepsAClientsTextToTheByte() throws {
        let text = Array("eaBE9F27-06b2-4FCC-8E9B-3FA3d5B6A6b1".utf8)
        let read = APNSID(text.span)
        let id = try #require(read)
        #expect(id.bytes == text)
    }
}

@Suite struct NumberTests {
    @Test(arguments: [
        Int64.min, -100_000_000, -1, 0, 9, 10, 99_999_999, 100_000_000, 100_000_001, 1_000_000_070_000_000, .max,
    ])
    func writesEveryDigit(number: Int64) {
        var text: [UInt8] = []
        text.append(addingCapacity: JSONBound.number) { $0.appendJSON(number) }
        #expect(String(decoding: text, as: UTF8.self) == String(number))
    }
}
