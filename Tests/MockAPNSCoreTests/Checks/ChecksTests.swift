import GatewayRigs
import MockAPNSCore
import Testing

/// One side of one check's boundary.
struct CheckCase: Sendable, CustomTestStringConvertible {
    var name: String
    var push: ExamplePush
    /// The reason, or nil for a 200.
    var reason: String?
    /// What the explanation has to show.
    var shows: [String]
    var testDescription: String { name }

    init(_ name: String, _ reason: String?, _ shows: String..., push: ExamplePush) {
        self.name = name
        self.reason = reason
        self.shows = shows
        self.push = push
    }

    init(_ name: String, _ reason: String?, _ shows: String..., change: (inout ExamplePush) -> Void) {
        self.name = name
        self.reason = reason
        self.shows = shows
        self.push = ExamplePush(change)
    }

    /// A push of that type to that topic.
    init(_ type: String?, to topic: String, _ reason: String?, _ shows: String...) {
        name = "\(type ?? "no type") to \(topic)"
        self.reason = reason
        self.shows = shows
        push = ExamplePush {
            $0.topic = topic
            if let type { $0.fields = [("apns-push-type", type)] }
        }
    }
}

private let hex = "0123456789abcdef"
private func digits(_ count: Int) -> String { String(String(repeating: hex, count: count / 16 + 1).prefix(count)) }
private func bytes(_ count: Int) -> [UInt8] { Array(repeating: UInt8(ascii: "x"), count: count) }

@Suite struct ChecksTests {
    static let request: [CheckCase] = [
        CheckCase("a good push", nil, push: ExamplePush()),
        CheckCase("POST", nil) { $0.method = "POST" },
        CheckCase("GET", "MethodNotAllowed", #""GET""#, #""POST""#) { $0.method = "GET" },
        CheckCase("HEAD", "MethodNotAllowed", #""HEAD""#) { $0.method = "HEAD" },
        CheckCase("post", "MethodNotAllowed", #""post""#) { $0.method = "post" },
        CheckCase("POSTS", "MethodNotAllowed", #""POSTS""#) { $0.method = "POSTS" },
        CheckCase("root", "BadPath", #""/""#, "/3/device/") { $0.path = "/" },
        CheckCase("no slash", "BadPath", #""/3/device""#) { $0.path = "/3/device" },
        CheckCase("version", "BadPath", "/2/device/") { $0.path = "/2/device/" + digits(64) },
        CheckCase("plural", "BadPath", "/3/devices/") { $0.path = "/3/devices/" + digits(64) },
        CheckCase("capitals", "BadPath", "/3/Device/") { $0.path = "/3/Device/" + digits(64) },
        CheckCase("slash after the token", "BadPath", "/3/device/") { $0.path = "/3/device/" + digits(64) + "/" },
        CheckCase("two slashes", "BadPath", "/3/device//") { $0.path = "/3/device//" + digits(64) },
        CheckCase("no path", "BadPath", #""""#) { $0.path = nil },
        CheckCase("no token", "MissingDeviceToken", #""/3/device/""#) { $0.path = "/3/device/" },
        CheckCase("unknown fields twice", nil, push: ExamplePush(("x", "1"), ("x", "2"), ("apns-flavour", "1"))),
        CheckCase(
            "topic twice", "DuplicateHeaders", "apns-topic", #""com.example.other""#,
            push: ExamplePush(("apns-topic", "com.example.other"))),
        CheckCase(
            "priority twice", "DuplicateHeaders", "apns-priority", #""5""#,
            push: ExamplePush(("apns-priority", "10"), ("apns-priority", "5"))),
        CheckCase(
            "collapse id twice", "DuplicateHeaders", "apns-collapse-id", #""b""#,
            push: ExamplePush(("apns-collapse-id", "a"), ("apns-collapse-id", "b"))),
        CheckCase(
            "expiration twice", "DuplicateHeaders", "apns-expiration",
            push: ExamplePush(("apns-expiration", "0"), ("apns-expiration", "0"))),
        CheckCase(
            "push type twice", "DuplicateHeaders", "apns-push-type",
            push: ExamplePush(("apns-push-type", "alert"), ("apns-push-type", "alert"))),
        CheckCase(
            "authorization twice", "DuplicateHeaders", "authorization", #""bearer a.b""#,
            push: ExamplePush(("authorization", "bearer a.b.c"))),
        CheckCase("apns-id", nil, push: ExamplePush(("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b"))),
        CheckCase("apns-id in capitals", nil, push: ExamplePush(("apns-id", "EABEAE54-14A8-11E5-B60B-1697F925EC7B"))),
        CheckCase(
            "apns-id too short", "BadMessageId", #""eabeae54-14a8-11e5-b60b-1697f925ec7""#,
            push: ExamplePush(("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7"))),
        CheckCase(
            "apns-id too long", "BadMessageId", push: ExamplePush(("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b0"))),
        CheckCase(
            "apns-id with a g", "BadMessageId", "g",
            push: ExamplePush(("apns-id", "gabeae54-14a8-11e5-b60b-1697f925ec7b"))),
        CheckCase(
            "apns-id without hyphens", "BadMessageId",
            push: ExamplePush(("apns-id", "eabeae5414a811e5b60b1697f925ec7b"))),
        CheckCase("apns-id empty", "BadMessageId", #""""#, push: ExamplePush(("apns-id", ""))),
        CheckCase(
            "apns-id with a blank", "BadMessageId",
            push: ExamplePush(("apns-id", " abeae54-14a8-11e5-b60b-1697f925ec7b"))),
    ]

    static let topic: [CheckCase] = [
        CheckCase("no topic", "MissingTopic", "with a provider token every push names its topic") { $0.topic = nil },
        CheckCase("empty topic", "BadTopic", #""""#) { $0.topic = "" },
        CheckCase("blank before", "BadTopic", #"" com.example.app""#) { $0.topic = " com.example.app" },
        CheckCase("blank after", "BadTopic", #""com.example.app ""#) { $0.topic = "com.example.app " },
        CheckCase("newline", "BadTopic", #"\n"#) { $0.topic = "com.example\n.app" },
        CheckCase("not ASCII", "BadTopic", "com.exämple.app") { $0.topic = "com.exämple.app" },
        CheckCase("two dots", "BadTopic", "com..app") { $0.topic = "com..app" },
        CheckCase("dot first", "BadTopic", ".com.app") { $0.topic = ".com.app" },
        CheckCase("dot last", "BadTopic", "com.app.") { $0.topic = "com.app." },
        CheckCase("only a suffix", "BadTopic", ".voip") { $0.topic = ".voip" },
        CheckCase("longest", nil) { $0.topic = "c." + digits(298) },
        CheckCase("too long", "BadTopic", "300") { $0.topic = "c." + digits(299) },
        CheckCase("angle brackets", "TopicDisallowed", "<com.example.app>") { $0.topic = "<com.example.app>" },
        CheckCase("one word", nil) { $0.topic = "App-1_x" },
    ]

    static let payload: [CheckCase] = [
        CheckCase("empty", "PayloadEmpty", "0 bytes") { $0.body = [] },
        CheckCase("{}", nil) { $0.body = Array("{}".utf8) },
        CheckCase("one byte", nil) { $0.body = bytes(1) },
        CheckCase("4096", nil) { $0.body = bytes(4096) },
        CheckCase("4097", "PayloadTooLarge", "4097", "4096") { $0.body = bytes(4097) },
        CheckCase("a million", "PayloadTooLarge", "1000000") {
            $0.body = bytes(5121)
            $0.bodyLength = 1_000_000
        },
        CheckCase("5120 by type and topic", nil) {
            $0.topic = "com.example.app.voip"
            $0.fields = [("apns-push-type", "voip")]
            $0.body = bytes(5120)
        },
        CheckCase("5120 by type", "DeviceTokenNotForTopic") {
            $0.fields = [("apns-push-type", "voip")]
            $0.body = bytes(5120)
        },
        CheckCase("5121 by type", "PayloadTooLarge", "5121", "5120") {
            $0.fields = [("apns-push-type", "voip")]
            $0.body = bytes(5121)
        },
        CheckCase("5120 by topic", nil) {
            $0.topic = "com.example.app.voip"
            $0.body = bytes(5120)
        },
        CheckCase("5121 by topic", "PayloadTooLarge", "5121") {
            $0.topic = "com.example.app.voip"
            $0.body = bytes(5121)
        },
        CheckCase("4097 for push to talk", "PayloadTooLarge", "4097") {
            $0.topic = "com.example.app.voip-ptt"
            $0.fields = [("apns-push-type", "pushtotalk")]
            $0.body = bytes(4097)
        },
        CheckCase("not JSON", nil) { $0.body = Array("{".utf8) },
    ]

    private static func field(_ name: String, _ value: String, _ reason: String?) -> CheckCase {
        CheckCase("\(name) \(value.debugDescription)", reason, push: ExamplePush((name, value)))
    }

    static let delivery: [CheckCase] =
        [
            ("0", true), ("1795255200", true), ("-1", true), ("+5", true), ("007", true), ("9223372036854775807", true),
            ("-9223372036854775808", true), ("9223372036854775808", false), ("-9223372036854775809", false),
            ("", false),
            ("-", false), ("+", false), ("1518182259.475", false), (" 5", false), ("5 ", false), ("1e3", false),
            ("tomorrow", false), ("0x10", false), ("٣", false),
        ].map { value, isGood in
            var result = field("apns-expiration", value, isGood ? nil : "BadExpirationDate")
            if !isGood { result.shows = ["apns-expiration", "\"\(value)\""] }
            return result
        }
        + [
            ("10", true), ("5", true), ("1", true), ("", false), ("0", false), ("7", false), ("05", false),
            ("100", false),
            (" 5", false), ("5 ", false), ("-1", false), ("high", false), ("1.0", false),
        ].map { value, isGood in
            var result = field("apns-priority", value, isGood ? nil : "BadPriority")
            if !isGood { result.shows = ["apns-priority", "\"\(value)\"", "10", "5", "1"] }
            return result
        } + [
            CheckCase("64 bytes", nil, push: ExamplePush(("apns-collapse-id", digits(64)))),
            CheckCase(
                "65 bytes", "BadCollapseId", "65", digits(65), push: ExamplePush(("apns-collapse-id", digits(65)))),
            CheckCase(
                "32 characters of two bytes", nil,
                push: ExamplePush(("apns-collapse-id", String(repeating: "é", count: 32)))),
            CheckCase(
                "33 characters of two bytes", "BadCollapseId", "66",
                push: ExamplePush(("apns-collapse-id", String(repeating: "é", count: 33)))),
            CheckCase("empty collapse id", nil, push: ExamplePush(("apns-collapse-id", ""))),
            CheckCase("background 5", nil, push: ExamplePush(("apns-push-type", "background"), ("apns-priority", "5"))),
            CheckCase("background 1", nil, push: ExamplePush(("apns-push-type", "background"), ("apns-priority", "1"))),
            CheckCase("background without priority", nil, push: ExamplePush(("apns-push-type", "background"))),
            CheckCase(
                "background 10", "BadPriority", #""10""#, "background",
                push: ExamplePush(("apns-push-type", "background"), ("apns-priority", "10"))),
        ]

    static let mdm = "com.apple.mgmt.External.eabeae54-14a8-11e5-b60b-1697f925ec7b"
    static let types: [CheckCase] =
        [
            CheckCase(nil, to: "com.example.app", nil),
            CheckCase(nil, to: "com.example.app.voip", nil),
            CheckCase("alert", to: "com.example.app", nil),
            CheckCase("background", to: "com.example.app", nil),
            CheckCase("alert", to: "com.example.app.voip", "InvalidPushType", #""alert""#, "com.example.app.voip"),
            CheckCase("background", to: "com.example.app.voip", "InvalidPushType", #""background""#),
            CheckCase("Alert", to: "com.example.app", "InvalidPushType", #""Alert""#, "liveactivity"),
            CheckCase("alerts", to: "com.example.app", "InvalidPushType", #""alerts""#),
            CheckCase("", to: "com.example.app", "InvalidPushType", #""""#),
            CheckCase("mdm", to: mdm, nil),
            CheckCase("mdm", to: "com.example.app", "DeviceTokenNotForTopic", #""mdm""#, "com.example.app"),
            CheckCase("mdm", to: "com.apple.mgmt.Internal.1", nil),
            CheckCase("mdm", to: "com.apple.mgm.1", "DeviceTokenNotForTopic", "com.apple.mgm.1", "com.apple.mgmt."),
        ]
        + [
            ("complication", ".complication"), ("controls", ".push-type.controls"),
            ("fileprovider", ".pushkit.fileprovider"), ("liveactivity", ".push-type.liveactivity"),
            ("location", ".location-query"), ("pushtotalk", ".voip-ptt"), ("voip", ".voip"),
            ("widgets", ".push-type.widgets"),
        ].flatMap { type, suffix in
            [
                CheckCase(type, to: "com.example.app" + suffix, nil),
                CheckCase(
                    type, to: "com.example.app", "DeviceTokenNotForTopic", #""com.example.app""#, "\"\(type)\"", suffix),
                CheckCase(type, to: "com.example.app" + suffix.dropFirst(), "DeviceTokenNotForTopic", suffix),
            ]
        }

    static let devices: [CheckCase] = [
        CheckCase("64 digits", nil) { $0.path = "/3/device/" + digits(64) },
        CheckCase("upper case", nil) { $0.path = "/3/device/" + digits(64).uppercased() },
        CheckCase("160 digits", nil) { $0.path = "/3/device/" + digits(160) },
        CheckCase("200 digits", nil) { $0.path = "/3/device/" + digits(200) },
        CheckCase("62 digits", "BadDeviceToken", digits(62), "62") { $0.path = "/3/device/" + digits(62) },
        CheckCase("63 digits", "BadDeviceToken", digits(63)) { $0.path = "/3/device/" + digits(63) },
        CheckCase("65 digits", "BadDeviceToken", "65", "even") { $0.path = "/3/device/" + digits(65) },
        CheckCase("202 digits", "BadDeviceToken", digits(80) + "…", "202") { $0.path = "/3/device/" + digits(202) },
        CheckCase("a g", "BadDeviceToken", #""g""#) { $0.path = "/3/device/g" + digits(63) },
        CheckCase("a query", "BadDeviceToken", #""?""#) { $0.path = "/3/device/" + digits(64) + "?a=1" },
    ]

    @Test(
        "Each check, on both sides of its boundary", arguments: request + topic + payload + delivery + types + devices)
    func boundary(_ one: CheckCase) {
        var rig = GatewayRig()
        let seen = rig.send(one.push)
        #expect(seen.reason == one.reason)
        #expect(seen.status == (one.reason.map { UInt16(Reason(rawValue: $0)!.status) } ?? 200))
        #expect(seen.record.reason?.name == one.reason)
        #expect(seen.record.status == seen.status)
        for value in one.shows { #expect(seen.explanation.contains(value), "\(seen.explanation)") }
        #expect(seen.explanation.isEmpty == (one.reason == nil))
        if one.reason != nil { #expect(seen.explanation.hasSuffix("."), "\(seen.explanation)") }
        #expect((seen.record.delivery == .delivered) == (one.reason == nil))
    }

    // MARK: The order

    @Test("A method other than POST is said before all, also without a token (curl-2019)")
    func methodFirst() {
        var rig = GatewayRig()
        let push = ExamplePush {
            $0.method = "GET"
            $0.path = "/3/device/"
            $0.token = nil
        }
        #expect(rig.send(push).reason == "MethodNotAllowed")
        let head = ExamplePush {
            $0.method = "HEAD"
            $0.path = "/"
            $0.token = nil
        }
        #expect(rig.send(head).reason == "MethodNotAllowed")
    }

    @Test("A missing provider token is said before a missing topic and a bad device token (uniqush)")
    func authorizationBeforeTopicAndToken() {
        var rig = GatewayRig()
        let push = ExamplePush {
            $0.path = "/3/device/aaaa"
            $0.token = nil
            $0.topic = nil
            $0.body = Array("{}".utf8)
        }
        #expect(rig.send(push).reason == "MissingProviderToken")
    }

    @Test("A missing topic is said before a bad device token (rpush#363)")
    func topicBeforeToken() {
        var rig = GatewayRig()
        var push = ExamplePush {
            $0.path = "/3/device/aaaa"
            $0.topic = nil
        }
        #expect(rig.send(push).reason == "MissingTopic")
        push.topic = "com.example.app"
        #expect(rig.send(push).reason == "BadDeviceToken")
    }

    @Test(
        """
        voip to a plain topic is DeviceTokenNotForTopic, alert to a VoIP topic InvalidPushType (laravel apn#88, \
        PyAPNs2#87)
        """
    )
    func typeAndTopic() {
        var rig = GatewayRig()
        #expect(rig.send(ExamplePush(("apns-push-type", "voip"))).reason == "DeviceTokenNotForTopic")
        var push = ExamplePush(("apns-push-type", "alert"))
        push.topic = "com.example.app.voip"
        #expect(rig.send(push).reason == "InvalidPushType")
    }

    @Test("With everything wrong, each repair brings out the next reason of the list")
    func wholeOrder() {
        var rig = GatewayRig()
        var push = ExamplePush {
            $0.method = "PUT"
            $0.path = "/x"
            $0.token = nil
            $0.topic = nil
            $0.body = []
            $0.fields = [
                ("apns-id", "x"), ("apns-id", "y"), ("apns-expiration", "x"), ("apns-priority", "x"),
                ("apns-collapse-id", digits(65)), ("apns-push-type", "x"),
            ]
        }
        func set(_ name: String, _ value: String) {
            push.fields.removeAll { $0.0 == name }
            push.fields.append((name, value))
        }
        var reasons = [String?]()
        for repair: () -> Void in [
            {}, { push.method = "POST" }, { push.path = "/3/device/" }, { set("apns-id", "x") },
            { set("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b") },
            { push.token = ExamplePush.bearer(keyID: "WRONGKEYID") },
            { push.token = ExamplePush.bearer(issuedAt: "1") }, { push.token = ExamplePush.bearer() },
            { push.topic = "" },
            { push.topic = "<a>" }, { push.topic = "com.example.app" }, { push.path = "/3/device/aaaa" },
            { push.body = bytes(6000) }, { push.body = bytes(10) }, { set("apns-expiration", "0") },
            { set("apns-priority", "10") }, { set("apns-collapse-id", "a") }, { set("apns-push-type", "voip") },
            { push.path = "/3/device/" + GatewayRig.deviceToken }, { push.topic = "com.example.app.voip" },
        ] {
            repair()
            rig.connection = rig.gateway.openConnection(.example, at: rig.now)
            reasons.append(rig.send(push).reason)
        }
        #expect(
            reasons == [
                "MethodNotAllowed", "BadPath", "DuplicateHeaders", "BadMessageId", "MissingProviderToken",
                "InvalidProviderToken", "ExpiredProviderToken", "MissingTopic", "BadTopic", "TopicDisallowed",
                "MissingDeviceToken", "PayloadEmpty", "PayloadTooLarge", "BadExpirationDate", "BadPriority",
                "BadCollapseId", "InvalidPushType", "BadDeviceToken", "DeviceTokenNotForTopic", nil,
            ])
    }
}
