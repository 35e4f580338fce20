/// Patterns put together at random, of which about one in six compiles.
struct RandomPatterns {
    private var state: UInt64
    private var text = ""

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func number(below limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state >> 11) % limit
    }

    mutating func next() -> String {
        text = number(below: 8) == 0 ? "(?i)" : ""
        if number(below: 9) == 0 { text += "(?J)" }
        appendAlternatives(depth: 0)
        return number(below: 2) == 0 ? text + "x" : text
    }

    private mutating func appendAlternatives(depth: Int) {
        appendItems(depth: depth)
        while number(below: 3) == 0 {
            text += "|"
            appendItems(depth: depth)
        }
    }

    private mutating func appendItems(depth: Int) {
        for _ in 0...number(below: 4) {
            if depth < 6, number(below: 3) == 0 {
                text += Self.groups[number(below: Self.groups.count)]
                appendAlternatives(depth: depth + 1)
                text += ")"
            } else {
                text += Self.items[number(below: Self.items.count)]
            }
            text += Self.quantifiers[number(below: Self.quantifiers.count)]
        }
    }

    private static let items = [
        ".", "a", "b", "[^a]", "[a-z]", #"\w"#, #"\p{L}"#, #"\X"#, #"\d"#, #"\s"#, #"\1"#, #"\2"#, #"\b"#, "(?1)",
        "(?=a)", "^",
        "$", #"\R"#, "x", "e", #"[^\p{Lu}\p{Lt}]"#, #"\P{L}"#, #"\N"#, "я", "K", "[я-ѓa]", #"\k<n>"#, "(*:m)",
        "(*SKIP:m)",
        "(*THEN)", #"\K"#, "(?C1)", "(?R)", "(*COMMIT)", "(*PRUNE)", #"\h"#, #"\G"#, "(?i)", "(?s)", "(?m)", #"\g{-1}"#,
        "(*ACCEPT)", #"\g<1>"#, "(?P=n)", "(?&n)", #"\z"#, "[[:alpha:]]", #"[\d.]"#, #"\p{scx:Latn}"#, "ſ", "🇦",
        #"\x{301}"#,
        #"\Qab\E"#, "(?#c)", "ab", "(?2)", "a|b|c|d|e|f", "(a)", "(.)", "(?:.)",
    ]
    private static let quantifiers = [
        "", "", "", "", "*", "+", "?", "*?", "+?", "*+", "++", "{2,5}", "{0,9}", "{1,100}", "{3}", "??", "{2,}", "{50}",
        "{1,300}?", "{0,1000}+",
    ]
    private static let groups = [
        "(", "(?:", "(?:", "(?>", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "(?|", "(?i:", "(*sr:", "(?(1)", "(?(?=a)",
        "(*asr:",
        "(*napla:",
    ]
}
