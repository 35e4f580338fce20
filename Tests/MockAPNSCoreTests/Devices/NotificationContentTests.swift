import Testing

@testable import MockAPNSCore

@Suite struct NotificationContentTests {
    @Test(
        arguments: [
            (#"{"aps":{"alert":"Hello"}}"#, true, nil),
            (#"{"aps":{"alert":""}}"#, false, nil),
            (#"{"aps":{"alert":{"title":"a"}}}"#, true, nil),
            (#"{"aps":{"alert":{ }}}"#, false, nil),
            (#"{"aps":{"alert":{"}":1}}}"#, false, nil),
            (#"{"aps":{"alert":{"}":1,"title":"x"}}}"#, true, nil), (#"{"aps":{"alert":{"body":""}}}"#, false, nil),
            (#"{"aps":{"alert":{"loc-key":"x"}}}"#, true, nil),
            (#"{"aps":{"alert":{"launch-image":"x"}}}"#, false, nil),
            (#"{"aps":{"alert":{"title":{"loc-key":"x"}}}}"#, false, nil),
            (#"{"aps":{"alert":{"title":5}}}"#, false, nil),
            (#"{"aps":{"alert":{"title":"x","title":5}}}"#, false, nil),
            (#"{"aps":{"alert":null,"badge":3}}"#, false, 3),
            (#"{"aps":{"badge":0}}"#, false, 0),
            (#"{"aps":{"badge":9}}"#, false, 9),
            (#"{"aps":{"badge":3.0}}"#, false, 3),
            (#"{"aps":{"badge":3.5}}"#, false, nil),
            (#"{"aps":{"badge":-1}}"#, false, nil),
            (#"{"aps":{"badge":"3"}}"#, false, nil),
            (#"{"aps":{"badge":99999999999}}"#, false, nil),
            (#"{"aps":{"badge":2147483647}}"#, false, .max),
            (#"{"aps":{"badge":2147483648}}"#, false, nil),
            (#"{"aps":{"badge":1234567890}}"#, false, 1_234_567_890),
            (#"{"aps":{"badge":100000000000000007}}"#, false, nil),
            (#"{"aps":{"badge":9999999999999999999999999}}"#, false, nil),
            (#"{"aps":{"badge":3.\#(String(repeating: "0", count: 30))}}"#, false, 3),
            (#"{"aps":{"badge":3.\#(String(repeating: "0", count: 31))}}"#, false, nil),
            (#"{"aps":{"badge":30e-1}}"#, false, 3),
            (#"{"aps":{"badge":[3],"alert":"x"}}"#, true, nil),
            (#"{"aps":{"alert":"x","alert":7}}"#, false, nil),
            (#"{"aps":{"alert":7.5}}"#, false, nil),
            (#"{"aps":{"alert":["x"]}}"#, false, nil),
            (#"{"aps":{"alerts":"x","aler":"x","badges":1,"badg":2}}"#, false, nil),
            (#"{"apss":{"alert":"x"},"ap":{"alert":"x"}}"#, false, nil),
            ("{\"aps\":\n{\"alert\":\n{\n}\n,\r\"badge\":\t1\r}\t}\n", false, 1),
            ("\t{\r\n\"x\"\n:\r1\t,\n\"aps\"\t: {\n\"badge\"\r:\n2\n,\"alert\":{\t\"body\":\r\"x\"}}}", true, 2),
            ("{\"aps\":{\"alert\":{\t\r\n }}}", false, nil),
            (#"{"x":[[{"aps":{"alert":"x"}}],"]",{"y":"}"}],"aps":{"badge":4}}"#, false, 4),
            (#"{"a":{"b":{}},"aps":{"c":[1,[2]],"badge":5,"d":{"badge":6}}}"#, false, 5),
            (
                #" { "a" : [ { "aps" : 1 } , "}" ] , "aps" : { "x" : { "alert" : "n" } , "badge" : 7 , "alert" : "y" } } "#,
                true, 7
            ),
            (#"{"\u0061ps":{"alert":"a\"b"}}"#, true, nil),
            (#"{"\u0061ps":{"alert":{"title":"x"}}}"#, true, nil),
            (#"{"\u0061ps":{"alert":{}}}"#, false, nil),
            (#"{"\u0061ps":{"badge":0}}"#, false, 0),
            (#"{"\u0061ps":{"badge":-1}}"#, false, nil),
            (#"{"aps":{"badge":-1.0}}"#, false, nil),
            (#"{"aps":{"content-available":1}}"#, false, nil),
            (#"{"aps":[{"alert":"x"}]}"#, false, nil),
            (#"{"aps":{"alert":"x"},"aps":1}"#, false, nil),
            (#"{"alert":"x"}"#, false, nil),
            (#"{}"#, false, nil),
            (#"[]"#, false, nil),
            (#"{"aps":{"alert":"x"}"#, false, nil),
            ("", false, nil),
        ] as [(String, Bool, Int32?)])
    func readsAlertAndBadge(payload: String, hasAlert: Bool, badge: Int32?) {
        let content = NotificationContent(Array(payload.utf8).span)
        #expect(content.hasAlert == hasAlert && content.badge == badge)
    }

    /// With and without an escape, since those are read differently.
    @Test(
        arguments: [
            (#""x""#, true), (#""""#, false), (#"{"name":"x"}"#, true), (#"{"critical":1,"name":"x"}"#, true),
            (#"{"name":""}"#, false), (#"{"name":7}"#, false), (#"{"critical":1}"#, false), ("{}", false),
            ("7", false), ("null", false),
        ], ["aps", #"\u0061ps"#])
    func onlyANamedSoundIsOne(_ sound: (json: String, isNamed: Bool), key: String) {
        let payload = Array(#"{"\#(key)":{"sound":\#(sound.json)}}"#.utf8)
        #expect(NotificationContent(payload.span).hasSound == sound.isNamed)
    }

    /// The quick way and the one for texts with escapes say the same.
    @Test func bothWaysAgree() {
        var random = SeededRandom(seed: 7)
        let words = [
            #""aps""#, #""alert""#, #""badge""#, "{", "}", "[", "]", ":", ",", "1", "2.0", "true", "null", #""x""#, " ",
            #"{"aps":{"#, #""alert":"a""#, #""badge":5"#, "}}", #""sound":"a""#, #""sound":{"name":"a"}"#,
            #""content-available":1"#,
        ]
        var valid = 0
        for _ in 0..<40_000 {
            var text = random.next() % 2 == 0 ? #"{"aps":{"# : ""
            for _ in 0..<(random.next() % 8) { text += words[Int(random.next() % UInt64(words.count))] }
            if random.next() % 2 == 0 { text += "}}" }
            let plain = NotificationContent(Array(text.utf8).span)
            guard JSONText.isValid(Array(text.utf8).span) else {
                #expect(plain == NotificationContent(Array("".utf8).span))
                continue
            }
            valid += 1
            // An array around it would change its meaning; a further member with an escape does not.
            guard text.hasPrefix("{"), let end = text.lastIndex(of: "}") else { continue }
            let isEmpty = text.dropFirst().allSatisfy { $0 == " " || $0 == "}" }
            let escaped = text[..<end] + (isEmpty ? "" : ",") + #""\n":1}"#
            #expect(plain == NotificationContent(Array(escaped.utf8).span), "\(text)")
        }
        #expect(valid > 200)
    }
}
