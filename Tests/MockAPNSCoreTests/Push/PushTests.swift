import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite struct PushTests {
    private func name(_ text: String) -> HeaderName? { HeaderName(Array(text.utf8).span) }

    @Test("Every name is found by its bytes, and nothing that differs in one", arguments: HeaderName.allCases)
    func headerNames(_ header: HeaderName) {
        #expect(name(header.name) == header)
        let bytes = Array(header.name.utf8)
        for place in bytes.indices {
            for flip in UInt8(1)...255 {
                var other = bytes
                other[place] ^= flip
                #expect(HeaderName(other.span) == nil)
            }
        }
        #expect(HeaderName(bytes.span.extracting(droppingLast: 1)) == nil)
        #expect(name(header.name + "s") == nil)
        #expect(name(header.name.uppercased()) == nil)
    }

    @Test(
        "Names that are as long as a known one",
        arguments: ["", ":", ":authority", ":scheme", "user-agent", "content-type"])
    func otherNames(_ text: String) { #expect(name(text) == nil) }

    @Test("Push types are found by their exact names", arguments: PushType.allCases)
    func pushTypes(_ type: PushType) {
        func found(_ text: String) -> PushType? { PushType(Array(text.utf8).span) }
        #expect(found(type.name) == type)
        #expect(found(type.name.uppercased()) == nil)
        #expect(found(type.name + " ") == nil)
        #expect(found("x" + type.name) == nil)
        #expect(found(String(type.name.dropLast())) == nil)
    }

    @Test(arguments: PushType.allCases)
    func aTopicTellsThePushType(_ type: PushType) {
        func found(_ topic: String) -> PushType { PushType(ofTopic: Array(topic.utf8).span) }
        let suffix = type.topicSuffix
        #expect(found("com.example.app" + (suffix ?? "")) == (suffix == nil ? .alert : type))
        #expect(found("com.apple.mgmt.External.1") == .mdm)
    }

    @Test(arguments: [
        ("abcab", "ab", true), ("abcab", "cab", true), ("abcab", "abcab", true), ("abcab", "ac", false),
        ("abcab", "abcabc", false), ("abcab", "b", true), ("", "a", false),
    ])
    func aTextIsContained(_ text: String, _ part: String, isContained: Bool) {
        #expect(Array(text.utf8).span.contains(part) == isContained)
    }

    @Test("A field's text stays where it is, and its value is read once")
    func fields() throws {
        let example = ExamplePush(
            ("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b"), ("apns-push-type", "background"),
            ("apns-priority", "5"),
            ("apns-expiration", "1795255200"), ("apns-collapse-id", "score"))
        let (bytes, headerLength) = example.bytes
        let push = Push(bytes.span, headerLength: headerLength)
        func text(_ range: ByteRange?) -> String? { range.map { String(decoding: bytes[$0.range], as: UTF8.self) } }
        #expect(text(push.method) == "POST")
        #expect(push.isPOST)
        #expect(text(push.pathText) == "/3/device/" + GatewayRig.deviceToken)
        guard case .device(let token) = push.path else {
            Issue.record("no device path")
            return
        }
        #expect(text(token) == GatewayRig.deviceToken)
        #expect(text(push.authorization) == example.token)
        #expect(text(push.topic) == "com.example.app")
        #expect(push.apnsID.value?.text == "eabeae54-14a8-11e5-b60b-1697f925ec7b")
        #expect(push.pushType.value == .background)
        #expect(push.priority.value == .powerConsiderate)
        #expect(push.expiration.value == 1_795_255_200)
        #expect(text(push.collapseID) == "score")
        #expect(push.repeated == nil)
    }

    @Test("Of a repeated field the first value counts, and the first repetition is noted")
    func repeated() {
        let (bytes, headerLength) = ExamplePush(("apns-priority", "5"), ("apns-priority", "1"), ("apns-topic", "x"))
            .bytes
        let push = Push(bytes.span, headerLength: headerLength)
        #expect(push.priority.value == .powerConsiderate)
        #expect(push.repeated?.name == .priority)
        #expect(push.repeated.map { String(decoding: bytes[$0.value.range], as: UTF8.self) } == "1")
    }

    @Test("Whatever comes twice, the first value counts")
    func repeatedFields() {
        let fields = [
            (":method", "POST", "HEAD"), (":path", "/3/device/" + GatewayRig.deviceToken, "/3/device/"),
            ("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b", "x"), ("apns-push-type", "background", "voip"),
            ("apns-priority", "5", "10"), ("apns-expiration", "7", "8"), ("apns-topic", "a", "?"),
            ("apns-collapse-id", "a", "b"), ("authorization", "a", "b"),
        ]
        for (name, _, second, third) in fields.flatMap({ [($0.0, $0.1, $0.2, $0.1), ($0.0, $0.1, $0.2, $0.2)] }) {
            let (bytes, headerLength) = ExamplePush {
                ($0.method, $0.path, $0.token, $0.topic) = (nil, nil, nil, nil)
                $0.fields = fields.map { ($0.0, $0.1) } + [(name, second), (name, third)]
            }.bytes
            let push = Push(bytes.span, headerLength: headerLength)
            func text(_ range: ByteRange?) -> String? { range.map { String(decoding: bytes[$0.range], as: UTF8.self) } }
            #expect(push.isPOST && !push.isHEAD && push.deviceToken != nil, "\(name)")
            #expect(push.apnsID.value != nil && push.pushType.value == .background, "\(name)")
            #expect(push.priority.value == .powerConsiderate && push.expiration.value == 7, "\(name)")
            #expect([push.topic, push.collapseID, push.authorization].map(text) == ["a", "a", "a"], "\(name)")
            #expect(push.topicForm == Topic.form(of: Array("a".utf8).span), "\(name)")
            #expect(push.repeated?.name.name == name && text(push.repeated?.value) == second)
        }
    }

    @Test(
        "A method is one only to the letter",
        arguments: ["HEAD", "HEAX", "XEAD", "HEADS", "HEA", "POST", "POSX", "POSTS"])
    func methods(method: String) {
        let (bytes, headerLength) = ExamplePush { $0.method = method }.bytes
        let push = Push(bytes.span, headerLength: headerLength)
        #expect(push.isHEAD == (method == "HEAD") && push.isPOST == (method == "POST"))
    }

    @Test("A path that differs from /3/device/ in one byte is another one")
    func paths() {
        func isOfADevice(_ path: [UInt8]) -> Bool {
            let (bytes, headerLength) = ExamplePush { $0.path = String(decoding: path, as: UTF8.self) }.bytes
            if case .device = Push(bytes.span, headerLength: headerLength).path { return true }
            return false
        }
        let path = Array("/3/device/".utf8)
        let token = Array(GatewayRig.deviceToken.utf8)
        for rest in [[], token, Array("not/a/token".utf8.prefix(3))] {
            #expect(isOfADevice(path + rest))
            for place in path.indices {
                var other = path
                other[place] ^= 1
                #expect(!isOfADevice(other + rest), "\(place)")
            }
        }
        for count in 0..<path.count { #expect(!isOfADevice(Array(path.prefix(count)))) }
        #expect(!isOfADevice(path + token + Array("/".utf8)) && !isOfADevice(path + Array("a/b".utf8)))
        #expect(isOfADevice(path + Array("a?b".utf8)))
    }

    @Test(
        "An expiration is any integer of 64 bits",
        arguments: [
            ("0", 0), ("12", 12), ("+5", 5), ("-5", -5), ("007", 7), ("9", 9), (":", nil), ("/", nil), ("1:", nil),
            ("", nil), ("-", nil), ("+", nil), ("--1", nil), ("9223372036854775807", .max),
            ("9223372036854775808", nil), ("-9223372036854775808", .min), ("-9223372036854775809", nil),
            ("18446744073709551617", nil), ("92233720368547758070", nil), ("-92233720368547758080", nil),
            ("27670116110564327424", nil),
        ] as [(String, Int64?)])
    func expiration(text: String, seconds: Int64?) { #expect(Expiration.seconds(Array(text.utf8).span) == seconds) }

    @Test(
        "A priority is one of three texts",
        arguments: [
            ("10", .immediate), ("5", .powerConsiderate), ("1", .powerFirst), ("", nil), ("0", nil), ("6", nil),
            ("11", nil), ("20", nil), ("50", nil), ("15", nil), ("100", nil), ("05", nil),
        ] as [(String, Priority?)])
    func priority(text: String, priority: Priority?) { #expect(Priority(Array(text.utf8).span) == priority) }

    @Test("Nothing at all is a push without anything in it")
    func empty() {
        let push = Push([UInt8]().span, headerLength: 0)
        #expect(!push.isPOST)
        #expect(push.method == nil && push.topic == nil)
    }

    // MARK: Explanations

    @Test(
        "Values are quoted on one line, in valid UTF-8, and cut at 80 bytes",
        arguments: [
            (Array("7".utf8), #""7""#), (Array(#"a"b\c"#.utf8), #""a\"b\\c""#),
            (Array("a\r\n\u{0}\u{7F}".utf8), #""a\r\n\0\u{7F}""#),
            (Array("é€😀".utf8), "\"é€😀\""), ([0x61, 0xFF, 0xC3], #""a\xFF\xC3""#),
            (Array("a\u{202E}b\u{2028}".utf8), #""a\u{202E}b\u{2028}""#),
            (Array(repeating: 0x61, count: 80), "\"" + String(repeating: "a", count: 80) + "\""),
            (Array(repeating: 0x61, count: 81), "\"" + String(repeating: "a", count: 80) + "…\""),
            (Array(repeating: 0x61, count: 79) + Array("é".utf8), "\"" + String(repeating: "a", count: 79) + "…\""),
            (Array(repeating: 0x61, count: 78) + Array("é!".utf8), "\"" + String(repeating: "a", count: 78) + "é…\""),
            (Array(repeating: 0x61, count: 77) + Array("😀".utf8), "\"" + String(repeating: "a", count: 77) + "…\""),
            (Array(repeating: 0x61, count: 76) + Array("😀".utf8), "\"" + String(repeating: "a", count: 76) + "😀\""),
        ] as [([UInt8], String)])
    func quoted(_ value: [UInt8], _ expected: String) {
        let explanation: Explanation = "It is \(quoted: value.span)."
        #expect(explanation.description == "It is \(expected).")
    }

    @Test func aTextIsFoundWhereverItIs() {
        func find(_ part: String) -> Bool { Array("apns-topic".utf8).span.contains(part) }
        for part in ["apns", "s-t", "topic", "c", "apns-topic"] { #expect(find(part), "\(part)") }
        for part in ["", "x", "topics", "apns-topicx", "cc"] { #expect(!find(part), "\(part)") }
    }
}
