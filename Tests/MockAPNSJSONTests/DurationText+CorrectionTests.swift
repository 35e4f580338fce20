import Testing

@testable import MockAPNSJSON

@Suite struct DurationCorrectionTests {
    @Test(
        "What was probably meant",
        arguments: [
            ("5 s", "5s", "without the blank"), (" 60s", "60s", "without the blank"), ("300", "300s", "with a unit"),
            ("5min", "5m", "with the unit m"), ("5 Minutes", "5m", "with the unit m"), ("7S", "7s", "with the unit s"),
            ("90sec", "90s", "with the unit s"), ("1.5s", "1500ms", "with a whole number"),
            ("0,5 min", "30s", "with a whole number"), ("1h30m", "90m", "with one number and one unit"),
            ("2 weeks", "14d", "in days"), ("10 msec", "10ms", "with the unit ms"),
        ])
    func corrections(text: String, meant: String, difference: String) {
        let correction = DurationText.correction(of: text)
        #expect(correction?.text == meant && correction?.difference == difference, "\(String(describing: correction))")
        #expect(correction?.isExample == (text == "300"))
        #expect(DurationText.milliseconds(meant) != nil)
    }

    @Test(
        "Nothing is guessed",
        arguments: [
            "", " ", "s", "soon", "-5s", "1e3", "5 parsecs", "0.0001s", "1.s", ".5s", "999999999999w",
            "99999999999999999999", "9999999999999999d 9999999999999999d", String(repeating: "1s", count: 100),
        ])
    func unclear(text: String) { #expect(DurationText.correction(of: text) == nil) }
}
