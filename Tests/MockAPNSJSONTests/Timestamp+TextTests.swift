import MockAPNSJSON
import Testing

@Suite("The text of a moment")
struct TimestampTextTests {
    @Test(
        "Moments and their texts, both ways",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (1_795_255_200_123, "2026-11-21T10:00:00.123Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func bothWays(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).text == text)
        #expect(Timestamp(text) == Timestamp(milliseconds: milliseconds))
        #expect(text.utf8.count == Timestamp.textLength)
    }

    @Test("Text is appended to what is there")
    func appends() {
        var bytes = Array("at ".utf8)
        Timestamp(seconds: 0).appendText(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "at 1970-01-01T00:00:00.000Z")
    }

    @Test("Moments without a text of four-digit years become the nearest that have one")
    func clamps() {
        #expect(Timestamp(milliseconds: .max).text == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp(milliseconds: .min).text == "0000-01-01T00:00:00.000Z")
    }

    @Test("Every day of 800 years is read back and follows the one before")
    func everyDay() {
        var previous = ""
        for day in stride(from: Int64(-200_000), to: 100_000, by: 1) {
            let moment = Timestamp(milliseconds: day * 86_400_000 + 43_200_007)
            let text = moment.text
            #expect(Timestamp(text) == moment)
            #expect(text > previous)
            previous = text
        }
    }

    @Test(
        "Other spellings of RFC 3339",
        arguments: [
            ("2026-11-21T10:00:00Z", 1_795_255_200_000),
            ("2026-11-21t10:00:00z", 1_795_255_200_000),
            ("2026-11-21T12:00:00+02:00", 1_795_255_200_000),
            ("2026-11-21T04:30:00.5-05:30", 1_795_255_200_500),
            ("2026-11-21T10:00:00.1239999Z", 1_795_255_200_123),
            ("2026-11-21T10:00:00.05-00:00", 1_795_255_200_050),
            ("1970-01-01T00:00:00.25+00:01", -59_750),
            ("0000-01-01T00:00:00+23:59", -62_167_219_200_000 - 86_340_000),
        ] as [(String, Int64)])
    func spellings(text: String, milliseconds: Int64) {
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test(
        "What is no date and time",
        arguments: [
            "", "2026", "2026-11-21", "2026-11-21T10:00Z", "2026-11-21T10:00:00", "2026-11-21 10:00:00Z",
            "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z",
            "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z", "2026-12-31T23:59:60Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1",
            "2026-01-01T00:00:00+0200", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+02:60",
            "2026-01-01T00:00:00ZZ", "2026-01-01T00:00:00Z ", " 2026-01-01T00:00:00Z", "+2026-01-01T00:00:00Z",
            "2026-1-01T00:00:00Z", "2026-01-01T0:00:00Z", "12026-01-01T00:00:00Z", "2026-01-01T00:00:0éZ",
        ])
    func refused(text: String) {
        #expect(Timestamp(text) == nil)
    }
}
