import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario

extension FuzzTarget {
    /// A request as the transport hands it over: read, checked, recorded, written, read back and judged.
    ///
    /// The input is written like a message of HTTP/1: lines of `name: value`, an empty line, the body.
    static let request = FuzzTarget(
        name: "request", longestInput: 2048,
        seeds: [
            #"""
            :method: POST
            :path: /3/device/00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0
            authorization: bearer \#(SampleToken.text)
            apns-topic: com.example.app
            apns-push-type: alert
            apns-id: eabeae54-14a8-11e5-b60b-1697f925ec7b
            apns-priority: 10
            apns-expiration: 0
            apns-collapse-id: score

            {"aps":{"alert":{"title":"Hi"}}}
            """#,
            #"""
            :method: GET
            :path: /3/device/
            apns-priority: 7
            apns-expiration: -9223372036854775808

            not JSON
            """#,
            "", "\n\n",
        ].map { Array($0.utf8) }
    ) { input throws(Finding) in
        let message = Message(input)
        let push = Push(message.bytes.span, headerLength: message.headerLength)
        for range in [
            push.method, push.pathText, push.authorization, push.apnsIDText, push.topic, push.pushTypeText,
            push.priorityText, push.expirationText, push.collapseID, push.repeated?.value,
        ].compactMap({ $0?.range }) {
            try require(
                range.lowerBound >= 0 && range.upperBound <= message.headerLength, "a value lies among the fields")
        }
        var rig = PlayedGateway(played)
        // Reading back takes longest, so it is done for some inputs only.
        let isReadBack = input.count % 4 == 0
        for _ in 0..<(isReadBack ? 2 : 1) {
            let line = try rig.receive(
                message.bytes, headerLength: message.headerLength, authorization: message.authorization)
            try require(line.last == 0x0A && line.dropLast().allSatisfy { $0 != 0x0A }, "a record is one line")
            guard (try? JSONText.read(line, .recorded)) != nil else {
                throw Finding(description: "a record is JSON: \(String(decoding: line, as: UTF8.self))")
            }
            try checkSecrets(of: message, in: line)
        }
        if isReadBack { try rig.judge() }
    }

    /// Rules that look at all parts of a request, and let it pass.
    private static let played: Scenario = {
        let text = #"""
            {"devices": [{"name": "alice", "token": "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",
                          "topic": "com.example.app"}],
             "rules": [{"when": {"topic": {"prefix": "x"}, "header": {"x-a": {"exists": true}}}, "then": {"pass": true}},
                       {"when": {"payload": {"/aps/badge": {"atLeast": 1}}, "body": {"contains": "b"}},
                        "then": {"reject": "TooManyRequests"}},
                       {"when": {"collapseID": {"not": "a"}, "pushType": {"oneOf": ["alert", "voip"]}, "priority": 5},
                        "then": {"pass": true}}],
             "expect": [{"requests": {"device": "alice", "status": 200}, "count": {"atMost": 1}},
                        {"device": "alice", "displayed": [{"/aps/alert/title": "Hi"}]}]}
            """#
        return Scenario.read(Array(text.utf8)).0 ?? Scenario()
    }()

    /// No signature gets into the log.
    private static func checkSecrets(of message: Message, in line: [UInt8]) throws(Finding) {
        for (name, value) in message.fields where name == Array("authorization".utf8) {
            let start = ParsedProviderToken.lengthWithoutSignature(value.span) + 1
            guard start < value.count else { continue }
            let signature = Array(value[start...])
            // A short one may be found anywhere, and one that is written elsewhere, too, is no secret.
            guard signature.count >= 16, signature.allSatisfy({ 0x2D...0x7A ~= $0 && $0 != 0x5C }),
                message.bytes.occurrences(of: signature) == 1
            else { continue }
            try require(line.occurrences(of: signature) == 0, "a signature is in the log")
        }
    }
}

/// A request, read from a text in the manner of HTTP/1.
private struct Message {
    private(set) var fields: [(name: [UInt8], value: [UInt8])] = []
    /// The fields as the transport hands them over, then the body.
    private(set) var bytes: [UInt8] = []
    private(set) var headerLength = 0

    init(_ text: [UInt8]) {
        var rest = text[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A }
            rest = rest.dropFirst(line.count + 1)
            if line.isEmpty { break }
            // The colon of `:path` is part of its name.
            let colon = line.dropFirst().firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            let value = line[colon...].dropFirst().drop { $0 == 0x20 }
            fields.append((Array(line[..<colon]), Array(value)))
        }
        for field in fields { bytes.append(field: field.name, field.value) }
        headerLength = bytes.count
        bytes += rest
    }

    var authorization: [UInt8]? { fields.first { $0.name == Array("authorization".utf8) }?.value }
}

extension [UInt8] {
    fileprivate func occurrences(of part: [UInt8]) -> Int {
        guard count >= part.count, let first = part.first else { return 0 }
        return (0...count - part.count).count { self[$0] == first && self[$0..<$0 + part.count].elementsEqual(part) }
    }
}
