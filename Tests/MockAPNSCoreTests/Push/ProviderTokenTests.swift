import GatewayRigs
import Testing

@testable import MockAPNSCore

/// What a token says in the end.
private struct Said: Equatable, Sendable {
    var keyID = "ABC123DEFG"
    var teamID = "DEF123GHIJ"
    var milliseconds: Int64 = 1_795_255_100_000
    var form = ProviderToken.SignatureForm.raw
    var signature: [UInt8] = Array(repeating: 7, count: 64)
}

private let der: [UInt8] =
    [0x30, 0x44, 2, 32] + Array(repeating: 7, count: 32) + [2, 32] + Array(repeating: 7, count: 32)

private func token(
    header: String = #"{"alg":"ES256","kid":"ABC123DEFG"}"#,
    claims: String = #"{"iss":"DEF123GHIJ","iat":1795255100}"#,
    signature: [UInt8] = Array(repeating: 7, count: 64), standard: Bool = false, scheme: String = "bearer "
) -> String {
    scheme
        + [Array(header.utf8), Array(claims.utf8), signature].map { base64($0, standard: standard) }.joined(
            separator: ".")
}

private func parse(_ text: String) -> ParsedProviderToken.Outcome { ParsedProviderToken.parse(Array(text.utf8).span) }

private func said(_ text: String) -> Said? {
    guard case .parsed(let token) = parse(text) else { return nil }
    return Said(
        keyID: token.keyID, teamID: token.teamID, milliseconds: token.issuedAt.milliseconds, form: token.signatureForm,
        signature: token.signature)
}

private func malformed(_ text: String) -> String? {
    guard case .malformed(let explanation) = parse(text) else { return nil }
    return explanation.description
}

@Suite struct ProviderTokenTests {
    private static let variations: [(String, String, Said)] = [
        ("raw", token(), Said()),
        ("DER", token(signature: der), Said(form: .der, signature: der)),
        ("standard base64 with padding (a2, dotAPNS)", token(standard: true), Said()),
        ("DER in standard base64", token(signature: der, standard: true), Said(form: .der, signature: der)),
        ("Bearer (a2)", token(scheme: "Bearer "), Said()),
        ("BEARER", token(scheme: "BEARER "), Said()),
        ("two blanks", token(scheme: "bearer  "), Said()),
        ("a tab", token(scheme: "bearer\t"), Said()),
        ("a blank behind", token() + " ", Said()),
        ("iat as a string (APNSwift, kalyke)", token(claims: #"{"iss":"DEF123GHIJ","iat":"1795255100"}"#), Said()),
        (
            "iat with a fraction (pyapns-client, PyAPNs2)", token(claims: #"{"iss":"DEF123GHIJ","iat":1795255100.25}"#),
            Said(milliseconds: 1_795_255_100_250)
        ),
        (
            "iat with a fraction in a string", token(claims: #"{"iss":"DEF123GHIJ","iat":"1795255100.5"}"#),
            Said(milliseconds: 1_795_255_100_500)
        ),
        ("iat with an exponent", token(claims: #"{"iss":"DEF123GHIJ","iat":1.7952551e9}"#), Said()),
        (
            "typ, and kid among the claims",
            token(
                header: #"{"typ":"JWT","alg":"ES256","kid":"ABC123DEFG"}"#,
                claims: #"{"iat":1795255100,"kid":"ZZZ","iss":"DEF123GHIJ","exp":1,"x":{"y":[1,null]}}"#), Said()
        ),
        (
            "newlines (APNSwift)",
            token(
                header: "{\n  \"alg\": \"ES256\",\r\n\t\"kid\": \"ABC123DEFG\"\n}\n",
                claims: " {\"iss\" : \"DEF123GHIJ\" , \"iat\" : 1795255100 } "),
            Said()
        ),
        ("escapes", token(header: #"{"\u0061lg":"ES256","kid":"ABC\u0031\u00323DEFG"}"#), Said()),
        (
            "an iat beyond all counting",
            token(claims: #"{"iss":"DEF123GHIJ","iat":9223372036854775807}"#),
            Said(milliseconds: 9_000_000_000_000_000_000)
        ),
        (
            "an iat before all counting",
            token(claims: #"{"iss":"DEF123GHIJ","iat":-1e300}"#), Said(milliseconds: -9_000_000_000_000_000_000)
        ),
        (
            "an iat with an exponent beyond all counting",
            token(claims: #"{"iss":"DEF123GHIJ","iat":1e300}"#), Said(milliseconds: 9_000_000_000_000_000_000)
        ),
        (
            "a large iat to the second", token(claims: #"{"iss":"DEF123GHIJ","iat":8999999999999999}"#),
            Said(milliseconds: 8_999_999_999_999_999_000)
        ),
        ("an early iat", token(claims: #"{"iss":"DEF123GHIJ","iat":-5}"#), Said(milliseconds: -5000)),
    ]

    @Test("What clients send and APNs accepts", arguments: variations)
    private func accepted(_ name: String, _ text: String, _ expected: Said) {
        #expect(said(text) == expected, "\(malformed(text) ?? "missing")")
    }

    @Test("What may be recorded of an authorization value ends at its second dot, wherever that is")
    func lengthWithoutSignature() {
        func length(_ text: String) -> Int { ParsedProviderToken.lengthWithoutSignature(Array(text.utf8).span) }
        #expect(
            ["", "a", ".", "a.b", "..", ".a.", "a.b.c", "a.b.", "a.b.c.d"].map(length) == [0, 1, 1, 3, 1, 2, 3, 3, 3])
    }

    @Test(
        "No bearer token at all",
        arguments: [
            "", " ", "bearer", "bearer ", token(scheme: "bearex "), token(scheme: "xearer "), "bearer.abc",
            "bearer  \t ", "Basic YTpi", "bearerabc", token(scheme: ""),
            token(scheme: "token "),
            token(scheme: "bearer"), token(scheme: "bearer:"),
        ])
    func missing(_ text: String) {
        guard case .missing = parse(text) else {
            Issue.record("\(text) is not missing")
            return
        }
    }

    static let refusals: [(String, String)] = [
        (token().replacing("bearer eyJ", with: "bearer eyJ\n"), "has a line end after 3 characters"),
        (token() + "\r\n", "has a line end after"), ("bearer a", #""a""#), ("bearer abc", #""abc""#),
        ("bearer a.b", "2 parts"), (token() + ".x", "4 parts"),
        (token(header: #"{"kid":"ABC123DEFG"}"#), "without alg"),
        (token(header: #"{"alg":"none","kid":"ABC123DEFG"}"#), #""none""#),
        (token(header: #"{"alg":"es256","kid":"ABC123DEFG"}"#), #""es256""#),
        (token(header: #"{"alg":"RS256","kid":"ABC123DEFG"}"#), #""RS256""#),
        (token(header: #"{"alg":"HS256","kid":"ABC123DEFG"}"#), #""HS256""#),
        (token(header: #"{"alg":256,"kid":"ABC123DEFG"}"#), #""256""#),
        (token(header: #"{"alg":null,"kid":"ABC123DEFG"}"#), #""null""#),
        (token(header: #"{"alg":"ES256"}"#), "without kid"),
        (token(header: #"{"alg":"ES256","kid":""}"#), #""""#),
        (token(header: #"{"alg":"ES256","kid":12}"#), #""12""#),
        (token(header: #"{"alg":"ES256","kid":["ABC123DEFG"]}"#), "kid"),
        (token(header: #"{"alg":"ES256","alg":"ES256","kid":"ABC123DEFG"}"#), "alg"),
        (token(header: #"{"alg":"ES256","kid":"ABC123DEFG",}"#), "ABC123DEFG"),
        (token(header: #"["ES256"]"#), "ES256"), (token(header: "ES256"), "ES256"), (token(header: ""), #""""#),
        (token(claims: #"{"iat":1795255100}"#), "without iss"),
        (token(claims: #"{"iss":7,"iat":1795255100}"#), #""7""#),
        (token(claims: #"{"iss":"","iat":1795255100}"#), #""""#),
        (token(claims: #"{"iss":"DEF123GHIJ"}"#), "without iat"),
        (token(claims: #"{"iss":"DEF123GHIJ","iat":null}"#), #""null""#),
        (token(claims: #"{"iss":"DEF123GHIJ","iat":true}"#), #""true""#),
        (token(claims: #"{"iss":"DEF123GHIJ","iat":false}"#), #""false""#),
        (token(claims: #"{"iss":"DEF123GHIJ","iat":"today"}"#), #""today""#),
        (token(claims: #"{"iss":"DEF123GHIJ","iat":""}"#), #""""#),
        (token(claims: #"{"iss":"DEF123GHIJ","iat":[1795255100]}"#), "iat"),
        (token(claims: #"{"iss":"DEF123GHIJ","iat":1795255100,"iat":1795255100}"#), "iat"),
        (token(claims: #"{"iss":"DEF123GHIJ","iat":01795255100}"#), "01795255100"),
        (token(signature: []), #""""#), (token(signature: Array(repeating: 1, count: 63)), "63"),
        (token(signature: Array(repeating: 1, count: 65)), "65"), ("bearer e30=.e30=.x!", #""{}""#),
        ("bearer e3!.e30.AA", #""e3!""#),
        (token().replacing("eyJ", with: "e J"), "e J"), (token() + "=", "signature"), (token() + "===", "signature"),
        (token() + "*", "signature"), (token() + "A", "signature"),
    ]

    @Test("What makes a token InvalidProviderToken, with the offending value", arguments: refusals)
    func refused(_ text: String, _ shown: String) throws {
        let explanation = try #require(malformed(text))
        #expect(explanation.contains(shown), "\(explanation)")
        // As a push it is an InvalidProviderToken.
        var rig = GatewayRig()
        let seen = rig.send(ExamplePush { $0.token = text })
        #expect(seen.reason == "InvalidProviderToken")
        #expect(seen.explanation == explanation)
    }

    @Test("Base64: whole bytes, all padding or none, one alphabet")
    func base64Rules() {
        func decoded(_ text: String) -> [UInt8]? { Base64URL.decode(Array(text.utf8).span) }
        #expect(decoded("") == [])
        #expect(decoded("_-8") == [0xFF, 0xEF])
        #expect(decoded("/+8=") == [0xFF, 0xEF])
        #expect(decoded("_w") == [0xFF])
        #expect(decoded("_w==") == [0xFF])
        #expect(decoded("_x") == [0xFF], "unused bits do not matter")
        for wrong in [
            "A", "AAAAA", "_w=", "_w===", "=", "====", "A=AA", "A===", "_/8", "-+8=", "A A", "AA\n", "AA.A", "é==",
        ] {
            #expect(decoded(wrong) == nil, "\(wrong)")
        }
    }

    @Test("What is signed is the first two parts, and what is recorded has no signature")
    func parts() throws {
        let text = token(scheme: "Bearer  ")
        guard case .parsed(let parsed) = parse(text) else {
            Issue.record("not parsed")
            return
        }
        let parts = text.dropFirst(8).split(separator: ".")
        let bytes = Array(text.utf8)
        #expect(String(decoding: bytes[parsed.signingInput], as: UTF8.self) == parts[0] + "." + parts[1])
        let kept = ParsedProviderToken.lengthWithoutSignature(bytes.span)
        #expect(String(decoding: bytes[..<kept], as: UTF8.self) == "Bearer  \(parts[0]).\(parts[1])")
    }

    @Test("Any byte of a token may be any other: never a crash, and what is signed or the signature differs")
    func mutated() {
        for text in [token(), token(signature: der, standard: true)] {
            let bytes = Array(text.utf8)
            guard case .parsed(let good) = parse(text) else {
                Issue.record("not parsed")
                return
            }
            for place in 7..<bytes.count {
                for flip in UInt8(1)...255 {
                    var mutated = bytes
                    mutated[place] ^= flip
                    guard case .parsed(let other) = ParsedProviderToken.parse(mutated.span) else { continue }
                    if other.signature == good.signature, mutated[other.signingInput] == bytes[good.signingInput] {
                        // Only the unused bits of the signature's last character, or its alphabet.
                        let last = bytes.lastIndex { $0 != UInt8(ascii: "=") }!
                        #expect(
                            place == last || "+-/_".utf8.contains(mutated[place]), "byte \(place) to \(mutated[place])")
                    }
                }
            }
        }
    }

    @Test("Truncated tokens never crash")
    func truncated() {
        let bytes = Array(token(signature: der).utf8)
        for count in 0..<bytes.count { _ = ParsedProviderToken.parse(bytes.span.extracting(first: count)) }
    }

    @Test("Tokens are remembered by their exact bytes, 1024 of them at most")
    func cache() {
        var rig = GatewayRig()
        for number in 0..<5000 {
            let text = ExamplePush.bearer(issuedAt: "\(1_795_250_000 + number)")
            let token = rig.gateway.providerToken(text)!
            rig.gateway.remember(token)
            rig.gateway.remember(token)
            let bytes = Array(text.utf8)
            #expect(rig.gateway.rememberedToken(bytes.span) === token)
            #expect(rig.gateway.rememberedToken(bytes.span.extracting(droppingLast: 1)) == nil)
        }
        var kept = 0
        for number in 0..<5000 {
            let bytes = Array(ExamplePush.bearer(issuedAt: "\(1_795_250_000 + number)").utf8)
            if rig.gateway.rememberedToken(bytes.span) != nil { kept += 1 }
        }
        #expect(900...1024 ~= kept)
        rig.gateway.forgetTokens()
        let last = Array(ExamplePush.bearer(issuedAt: "1795254999").utf8)
        #expect(rig.gateway.rememberedToken(last.span) == nil)
    }
}
