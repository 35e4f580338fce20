import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario
import MockAPNSTransport

extension FuzzTarget {
    /// The value of `authorization`, read and, where the signature is in DER, verified.
    static let providerToken = FuzzTarget(
        name: "provider-token", longestInput: 1024,
        seeds: [
            "bearer \(SampleToken.text)", "Bearer  \(SampleToken.signed).\(SampleToken.der) ", "bearer a.b.c",
            "bearer eyJhbGciOiJFUzI1NiIsImtpZCI6IksifQ==.eyJpc3MiOiJUIiwiaWF0IjoiMS41ZTkifQ==.MAYCAQECAQE=",
            "bearer eyJhbGciOiJub25lIn0.e30.", "basic dXNlcjpwYXNz", "",
        ].map { Array($0.utf8) }
    ) { bytes throws(Finding) in
        let shown = ParsedProviderToken.lengthWithoutSignature(bytes.span)
        try require(0...bytes.count ~= shown, "what comes before the signature is part of the value")
        switch ParsedProviderToken.parse(bytes.span) {
        case .missing: break
        case .malformed(let explanation):
            try check(explanation, of: bytes)
            let token = ProviderToken(malformed: explanation, authorization: bytes.span)
            try require(token.hasAuthorization(bytes.span), "a token is known by its exact bytes")
            guard case .refused(.invalidProviderToken, _) = token.proof else {
                throw Finding(description: "a malformed token is refused")
            }
        case .parsed(let parsed):
            try check(parsed, of: bytes)
            let token = ProviderToken(parsed, authorization: bytes.span, proof: .notVerified)
            try require(token.hasAuthorization(bytes.span), "a token is known by its exact bytes")
            try require(token.lengthWithoutSignature == parsed.signingInput.upperBound, "no signature is shown")
            try push(bytes)
        }
    }

    private static func check(_ explanation: Explanation, of bytes: [UInt8]) throws(Finding) {
        let text = try unwrap(String(validating: explanation.utf8, as: UTF8.self), "an explanation is UTF-8")
        try require(!text.isEmpty && text.utf8.count < 2000, "an explanation is short: \(text)")
        try require(!text.contains { $0.isNewline }, "an explanation is one line: \(text)")
    }

    private static func check(_ token: ParsedProviderToken, of bytes: [UInt8]) throws(Finding) {
        let signed = token.signingInput
        try require(
            signed.lowerBound >= 7 && signed.upperBound < bytes.count, "what is signed lies in the value: \(signed)")
        try require(bytes[signed].count { $0 == UInt8(ascii: ".") } == 1, "what is signed has one dot")
        try require(bytes[signed.upperBound] == UInt8(ascii: "."), "a dot comes before the signature")
        try require(!token.keyID.isEmpty && !token.teamID.isEmpty, "key and team have ids")
        try require(!token.signature.isEmpty, "there is a signature")
        try require((token.signatureForm == .raw) == (token.signature.count == 64), "64 bytes are a raw signature")
        if token.signatureForm == .der, let key = SampleToken.publicKey {
            let verified = key.verify(signature: token.signature.span, of: bytes.span.extracting(signed))
            try require(
                verified == nil || bytes[signed].elementsEqual(SampleToken.signed.utf8),
                "nothing else was signed with this key")
        }
        // The scheme in another case, more blanks: the same token.
        let other = Array("BEARER \t ".utf8) + bytes[signed.lowerBound...] + Array("\t ".utf8)
        guard case .parsed(let again) = ParsedProviderToken.parse(other.span) else {
            throw Finding(description: "blanks around a token do not matter")
        }
        try require(
            again.keyID == token.keyID && again.teamID == token.teamID && again.issuedAt == token.issuedAt
                && again.signature == token.signature, "blanks around a token change nothing of it")
    }

    /// Age, team, key and rate are judged by the gateway.
    private static func push(_ authorization: [UInt8]) throws(Finding) {
        var rig = PlayedGateway(Scenario())
        try rig.push(authorization: authorization)
    }
}
