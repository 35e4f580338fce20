import Testing

@testable import MockAPNSJSON

/// Text of others, made safe to show.
@Suite struct PrintableTextTests {
    @Test(
        "Each character that steers something is escaped, and no other",
        arguments: [
            ("", ""), ("Grüße, 世界 😀 \"a\\b\"", "Grüße, 世界 😀 \"a\\b\""), ("\u{1B}[31m\u{7}", #"\u{1B}[31m\u{07}"#),
            ("a\r\n\tb\u{0}", #"a\r\n\tb\0"#),
            ("\u{7F}\u{80}\u{9B}\u{9F}\u{A0}", "\\u{7F}\\u{0080}\\u{009B}\\u{009F}\u{A0}"),
            ("\u{1F} ~", #"\u{1F} ~"#), ("\u{202A}\u{202E}\u{2066}\u{2069}", #"\u{202A}\u{202E}\u{2066}\u{2069}"#),
            ("\u{200B}\u{200E}\u{200F}\u{61C}\u{AD}", #"\u{200B}\u{200E}\u{200F}\u{061C}\u{00AD}"#),
            ("\u{2028}\u{2029}\u{85}", #"\u{2028}\u{2029}\u{0085}"#),
            ("\u{FEFF}\u{FFFE}\u{FFFF}", #"\u{FEFF}\u{FFFE}\u{FFFF}"#),
            ("\u{E0041}\u{E000}", #"\u{000E0041}\u{E000}"#),
            ("👩\u{200D}👧 می\u{200C}خواهم", "👩\u{200D}👧 می\u{200C}خواهم"),
            ("\u{FFFD}", "\u{FFFD}"),
        ])
    func line(text: String, shown: String) {
        #expect(PrintableText.line(text) == shown)
        #expect(PrintableText.line(shown) == shown)
    }

    @Test("A text of several lines keeps its line feeds and tabs; each of its lines has none")
    func lines() {
        #expect(PrintableText.block("a\n\tb\r\n\u{1B}\u{2028}") == "a\n\tb\\r\n\\u{1B}\\u{2028}")
        #expect(PrintableText.text(["a\nb", "\tc"]) == "a\\nb\n\\tc\n")
        #expect(PrintableText.joined("a\nb\r\nc\u{2028}\n\u{7}d") == "a b c \\u{07}d")
    }
}
