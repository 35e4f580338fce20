/// Patterns that want to take forever, each for a reason of its own.
enum HostilePatterns {
    /// Texts repeated.
    private static func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static let letters = String(
        String.UnicodeScalarView((0..<480).compactMap { Unicode.Scalar(UInt32(0x100 + 2 * $0)) }))
    private static let properties = many(#"\p{Lm}\p{Lt}\p{Me}\p{Pc}\p{Nl}\p{Zl}\p{Zp}\p{Co}\p{Sk}"#, 15)

    static let all: [String] =
        backtracking + scans + literals + references + lookarounds + recursions + classes + clusters + verbs + groups
        + repeats + options

    private static let backtracking = [
        "(.|.)*x", many("a*", 8) + "b", ".*alert.*title.*body.*missing.*", "(a+)+$", ".*.*.*.*.*x", ".*?.*?.*?.*?x",
        "(a|aa)+b", "(?:a?){300}a{300}b", #"\w*\w*\w*\w*x"#, #"\p{L}*\p{L}*\p{L}*\p{L}*x"#, #"\P{Lu}*\P{Lu}*\P{Lu}*1"#,
        #"(?:\s*\S*)*\x{1}"#, "(?:a|b|c|d|e|f|.)*(?:a|b|.)*x", "[a-z]*[a-z]*[a-z]*[a-z]*1",
        "[a-zЀ-ӿ]*[a-zЀ-ӿ]*[a-zЀ-ӿ]*1",
        "(?i)k*k*k*k*k*x", "(?U)(.*)(.*)(.*)(.*)x",
    ]
    /// Scans of the whole value between two backtracking points.
    private static let scans = [
        "(?:.*+b|.)*x", "(?:(?>.*)b|.)*x", "(?:.{2000}b|.)*x", #"(?:\p{L}*+x|.)*y"#,
        #"(?:\p{Alphabetic}*\P{Alphabetic}*)*\x{1}"#,
        #"(?:\R*+x|.)*y"#, #"(?:\h*+\v*+\N*+x|.)*"#, "(?:[^a]*+b|.)*x", #"(?i)(?:[^ä]*+\x{1}|.)*x"#,
        #"(?:[^\x{100}-\x{10fffe}]*+b|.)*x"#,
        #"(?s)(?:.*+\x{1}|.)*x"#, #"(?:[a-z]*?x|.)*y"#, #"(?:\p{L}*?\x{1}|.)*y"#, "(?m)(?:^.*$|.)*x",
        "(*ANYCRLF)(?:.*+x|.)*y",
        "(*ANY)(?:.*+x|.)*y", #"(?:\N{1,300}+\x{1}|.)*x"#,
    ]
    private static let literals = [
        "(?:" + many("a", 900) + "b|a)*x", "(?i)(?:" + many("a", 900) + "b|a)*x", "(?i)(?:" + many("я", 900) + "b|я)*x",
        #"(?:\Q"# + many("a", 900) + #"\Eb|a)*x"#, "(?i)(?:.*ſ|.)*x",
    ]
    private static let references = [
        #"(.*)(?:\1b|.)*x"#, #"(?i)(.*)(?:\1b|.)*x"#, #"(.*)\1\1\1*x"#, #"(.+?)(.+?)(.+?)\3\2\1x"#,
        #"(.)\1{2,}+(?:\1{2,}b|.)*x"#,
        "(?J)" + many("(?<n>.)", 100) + #"(?:\k<n>|.)*x"#, #"(a*)(?:\g1b|a)*x"#, #"(?<q>a*)(?:(?P=q)b|a)*x"#,
    ]
    private static let lookarounds = [
        "(?:(?=.*).)*x", "(?:(?<=.{200}).)*x", "(?:.(?<!b{400}))*x", "(?:.(?<=.{65000}|.))*x", "(?i)(?:(?=k*).)*x",
        "(?:(*napla:.*).)*x", "(?:(*nla:.*x).)*x", "(?:.(*naplb:.{100}))*x", "(?:." + many("(?<=.{9})", 80) + "|.)*x",
        "(?:.(?<=" + (1..<40).map { many("a", $0) }.joined(separator: "|") + "))*b", #"(?:(?:\b|\B){50}.)*x"#,
        "(?:(?(?=.*a).|.))*x", #"(?:(?(?!.*\x{1})a|.))*x"#,
    ]
    private static let recursions = [
        "(a(?1)?a?)*b", "(.)(?R)?x|.(?R)", #"(.)(?:(?R)|.?)\1"#, "(?1)(?R)*(.)",
        "(?:(a(?2)?(?3)?)|(.(?1))|(.(?2)))*x", "^(?<a>.(?&b)(?&a)|)(?<b>)x$",
        "(?<a>.(?&b)(?&c)(?&d)(?&a)|x)(?<b>)(?<c>)(?<d>)x", "(?(DEFINE)(?<a>.*(?&a)?))(?&a)(?&a)(?&a)x",
        #"(?i:(?<n>(*:m))\w*)*\g<1>{1,300}?"#, #"\w+((a)??)*?\g<1>{1,300}?x"#,
    ]
    private static let classes = [
        "[^" + letters + "]*", "(?:[^" + letters + #"]*+\x{1}|.)*"#, "(?i)[^" + letters + "]*",
        "(?i)(?:[^" + letters + "]x|.)*y",
        "[^" + properties + "]*", "(?:[^" + properties + #"]*+\x{1}|.)*"#, "[^" + many(#"\p{scx:Deva}"#, 70) + "]*",
        "[^" + many("[:^print:][:cntrl:]", 40) + "]*x",
    ]
    private static let clusters = [
        #"\X*"#, #"\X*x"#, #"\X*\X*\X*x"#, #"(?:\X*+\x{1}|.)*"#, #"(?:(?=\X).)*x"#, #"\X*?x"#,
        #"(?:(?=\X{2000}).|.)*x"#,
        #"(?:(?>\X)\x{1}|.)*"#, #"\h{1,300}?\b\s*|\G[^\p{Lu}\p{Lt}]*?.*?\X??x"#, #"(?:(?i)){1,100}\X??x"#,
    ]
    private static let verbs = [
        "(*NO_AUTO_POSSESS)a*a*b*b*a*a*b*c", "(*NO_START_OPT).*alert.*title.*body.*missing.*",
        "(*LIMIT_MATCH=4000000000)(*LIMIT_DEPTH=4000000000)(*LIMIT_HEAP=4000000000)(.|.)*x", "(*UTF)(*UCP)(.|.)*x",
        "(*NO_DOTSTAR_ANCHOR)(?:.*.*.*)*x", #"(?:(?C1).(?C"hello")|.)*x"#, "(?:" + many("(?C9)", 150) + ".)*x",
        "(?:" + many("(*:a)", 190) + ".)*x", "(?:.(*THEN)|.)*x", "(?:(*:a).(*:a).(*SKIP:b)|.)*x", "(?:.(*SKIP:q)|.)*x",
        "(?:.|.)*(*COMMIT)x", "(?:(?=.*(*ACCEPT)).)*x", "(*sr:.*)x", #"(?:(*sr:.*)\x{1}|.)*"#, "(*sr:(?:.|.)*x)",
        #"(?:(*asr:.*)\x{1}|.)*"#, "(?:(*sr:.*?).)*x", "(*sr:.*)(*sr:.*)x",
        #"(?i)(*sr:[я-ѓa]+?(?>[a-z]{3}\s)*?|$){2,5}x"#,
    ]
    private static let groups = [
        "(?:" + many("()", 450) + ".)*x", many("()", 330) + "(?:.|.)*x", "(?:" + many("(.)", 200) + "|.)*x",
        "(?:" + (0..<160).map { "ab\($0)" }.joined(separator: "|") + "|.)*x", "(?:" + many("a|", 480) + "a)*x",
        "(?:" + many("|", 900) + ")*x", "(?:(?:" + many("|", 400) + ")*.)*x",
        many("(", 49) + "a*" + many(")*", 49) + "b",
        many("(", 45) + "a" + many("|a)", 45) + "*b", "(?:(?(1)a|(.)))*x",
        "(?J)" + many("(?<n>)?", 60) + "(?:(?(<n>).|.))*x",
        "(?:" + many("(?(VERSION>=10))", 55) + ".)*x",
    ]
    private static let repeats = [
        "(?:a{1,1000}b?){1,50}c", "((a{0,5}){0,5}){0,5}[^a]", "(?:(?:(?:a{1,50}){1,50}){1,3})b",
        "(?:(?:.{0,9}){0,50}){0,9}x",
        "(.{1,3}){1,500}b", "(?:a|b){1000}x", "(?:a{60000}|.)*x", "(?:[a-z]{60000}b|.)*x", "(?:.{1,65535}x|.)*",
        #"(?:\p{L}{65535}|\X{65535}|.)*x"#, "(?:(?:abcdefghij){90}|.)*x", "(?:(?:a?){2000}|.)*x",
        #"\X*?(?(1)\1{1,300}?(.)*+){0,1000}+"#, #"(?J)\P{L}+(?(1)[a-z]?){0,1000}+(я+){2,}e++"#,
    ]
    private static let options = [
        #"(?:\K.|.)*x"#, "(?x) (?: . * + # comment\n b | . ) * x", "(?x) (?: \\p{L}  * + # comment\n \\x{1} | . ) * x",
        #"(?:\A|\G|^|.)*x"#, #"(?:$|\z|\Z|.)*x"#, #"(*BSR_ANYCRLF)(?:\R|.)*x"#, "(?:" + many("(?i)(?-i)", 110) + ".)*x",
        "(?:" + many("(?#c)", 190) + ".)*x", "(?n)((.|.)*)x",
    ]

    /// Values of about 5 KB.
    static let values: [String] =
        [
            "a", "ab", #"{"aps":{"alert":{"title":"hello","body":"some words of text"}},"x":1}"#, "я", "\u{300}", "🇦",
            "👩\u{200D}",
            "अ", "aя अ1 \u{300}", "K", " ", "\r\n", "1", "e\u{300}", "漢字かなカナ", "👩" + many("\u{300}", 9) + "\u{200D}",
            "a\n", "\"", "\u{10FFFD}", "\u{1100}", "\u{2028}",
        ].map { many($0, 5000 / $0.utf8.count) } + ["👩" + many("\u{300}", 1200) + many("\u{200D}", 800)]
}
