import Foundation
import GatewayRigs
import Testing

@testable import MockAPNSCore

/// The signature of a provider token gets into no record and no explanation, wherever the token stands.
@Suite struct TokenSignatureTests {
    private static let token = String(ExamplePush.bearer().dropFirst("bearer ".count))
    private static let signature = String(token.split(separator: ".")[2])
    private static let withoutSignature = String(token.dropLast(signature.count))

    /// The record of a push as the log has it, and its explanation.
    private func told(_ push: ExamplePush) throws -> (line: String, seen: GatewayRig.Seen) {
        var rig = GatewayRig()
        let seen = rig.send(push)
        return (try rig.gateway.log.line(of: 1), seen)
    }

    @Test(arguments: [
        "proxy-authorization", "cookie", "x-authorization", "authorization ", "Authorization2", "apns-collapse-id",
        "apns-id", "apns-push-type", "apns-priority", "apns-expiration", "user-agent", "x",
    ])
    func ofAnyField(name: String) throws {
        for value in [Self.token, "bearer " + Self.token, "a=1; token=\(Self.token); b=\(Self.token)"] {
            let (line, seen) = try told(ExamplePush((name, value)))
            #expect(!line.contains(Self.signature) && !seen.explanation.contains(Self.signature))
            let headers = try #require(try parse(line)["headers"] as? [[String]])
            let kept = try #require(headers.first { $0[0] == name })
            #expect(kept[1] == String(value.prefix(upTo: value.range(of: Self.signature)!.lowerBound)))
            // What comes before and after it is whole, the authorization with its own signature cut.
            #expect(headers.contains(["authorization", "bearer " + Self.withoutSignature]))
            #expect(try parse(line)["topic"] as? String == "com.example.app")
        }
    }

    @Test func ofAName() throws {
        for value in ["", "short", Self.token] {
            let (line, seen) = try told(ExamplePush((Self.token, value), ("apns-collapse-id", "behind it")))
            #expect(!line.contains(Self.signature) && !seen.explanation.contains(Self.signature))
            let headers = try #require(try parse(line)["headers"] as? [[String]])
            let kept = value == Self.token ? Self.withoutSignature : value
            #expect(headers.contains([Self.withoutSignature, kept]))
            #expect(headers.contains(["authorization", "bearer " + Self.withoutSignature]))
            #expect(headers.contains(["apns-collapse-id", "behind it"]))
            #expect(try parse(line)["topic"] as? String == "com.example.app")
        }
    }

    @Test func ofThePayloadItStays() throws {
        let (line, _) = try told(ExamplePush { $0.body = Array(#"{"aps":{},"token":"\#(Self.token)"}"#.utf8) })
        #expect(line.contains(Self.signature))
    }

    @Test func ofTheTopic() throws {
        let (line, seen) = try told(ExamplePush { $0.topic = Self.token })
        #expect(seen.reason == "TopicDisallowed")
        #expect(!line.contains(Self.signature))
        #expect(try parse(line)["topic"] as? String == Self.withoutSignature)
    }

    @Test func ofAFieldThatComesTwice() throws {
        for name in ["apns-topic", "authorization"] {
            let (line, seen) = try told(ExamplePush((name, Self.token)))
            #expect(seen.reason == "DuplicateHeaders")
            #expect(!line.contains(Self.signature))
        }
    }

    @Test func ofThePath() throws {
        for path in ["/3/device/" + Self.token, "/" + Self.token + "/3/device/"] {
            let (line, seen) = try told(ExamplePush { $0.path = path })
            #expect(!line.contains(Self.signature) && !seen.explanation.isEmpty)
            let record = try parse(line)
            let kept = path.prefix(upTo: path.range(of: Self.signature)!.lowerBound)
            #expect(record["path"] as? String == String(kept))
            if path.hasPrefix("/3") { #expect(record["token"] as? String == Self.withoutSignature) }
        }
    }

    @Test func shortTokensAreQuotedWithoutTheirSignature() throws {
        let short = "eyJhbGciOiJub25lIn0.eyJpc3MiOiJYIn0.c2lnbmF0dXJl"
        let (line, seen) = try told(ExamplePush { $0.path = "/" + short })
        #expect(seen.explanation.contains(#""/eyJhbGciOiJub25lIn0.eyJpc3MiOiJYIn0.…""#))
        #expect(!line.contains("c2lnbmF0dXJl"))
    }

    @Test(arguments: [
        ("{\"alg\":\"ES256\"}", true), ("{ \"alg\": \"ES256\" }", true), ("{\n  \"alg\": \"ES256\"\n}", true),
        ("{\r\n\t\"alg\":\"ES256\"}", true), ("[\"alg\",\"ES256\"]", false), ("{alg: ES256, kid: KEY}", false),
    ])
    func anObjectInBase64Begins(header: String, isToken: Bool) {
        for standard in [false, true] {
            let text = [header, #"{"iss":"DEF123GHIJ"}"#].map { base64($0, standard: standard) }.joined(separator: ".")
            let bytes = Array("\(text).\(Self.signature)".utf8)
            #expect(TokenSignature.start(in: bytes.span) == (isToken ? text.utf8.count + 1 : nil))
        }
    }

    @Test(arguments: [
        "com.newport.example.application.with.a.long.bundle.identifier",
        "eyewear.shop.example.application.of.many.words",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0.0.0",
        "api.sandbox.push.apple.com:443:api.push",
        "........................................", "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJERUYxMjNHSElKIn0.",
        "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJERUYxMjNHSElKIn0",
    ])
    func whatIsNoTokenStays(text: String) throws {
        let (line, _) = try told(ExamplePush(("x-text", text)))
        #expect((try parse(line)["headers"] as? [[String]])?.contains(["x-text", text]) == true)
    }

    @Test func itIsFoundAtEveryOffset() {
        for offset in 0..<64 {
            let text = String(repeating: ".", count: offset) + Self.token
            #expect(TokenSignature.start(in: Array(text.utf8).span) == offset + Self.withoutSignature.utf8.count)
        }
    }

    @Test func hostileFieldsTakeLinearTime() {
        // Were each beginning to be followed to its end, what is 16 times as long would take 256 times as long. The shortest
        // of several times is that of a machine that does nothing else.
        func time(_ text: String, _ size: Int) -> Duration {
            let bytes = Array((String(repeating: text, count: size / text.utf8.count) + ".").utf8)
            return (0..<10).map { _ in
                ContinuousClock().measure { for _ in 0..<64_000 / size { _ = TokenSignature.start(in: bytes.span) } }
            }.min()!
        }
        for text in ["eyJ", "ewo", "e", "eyJ."] { #expect(time(text, 64_000) < time(text, 4000) * 6, "\(text)") }
    }
}
