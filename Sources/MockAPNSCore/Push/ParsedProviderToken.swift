/// The content of an `authorization` field before its signature is verified.
///
/// Parsing is as lenient as APNs: the scheme in any case; either base64 alphabet in each part, with or without padding;
/// white space in the JSON; unknown members; `iat` as an integer, with a fraction, or as a string; the signature raw or
/// in DER.
/// See
/// [Establishing a token-based connection to APNs](https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
package struct ParsedProviderToken: Sendable {
    /// The result of parsing.
    package enum Outcome: Sendable {
        /// No bearer token: another scheme, or nothing after it.
        case missing
        /// A bearer token that is not a provider token: 403 InvalidProviderToken.
        case malformed(Explanation)
        /// A token whose signature can be verified.
        case parsed(ParsedProviderToken)
    }

    /// The `kid` of the header.
    package let keyID: String
    /// The `iss` of the claims.
    package let teamID: String
    /// The `iat` of the claims.
    package let issuedAt: Timestamp
    /// The range of the signed text in the field's value: the first two parts with the dot between them.
    package let signingInput: Range<Int>
    /// The decoded signature: 64 bytes, or DER.
    package let signature: [UInt8]
    /// The form of the signature.
    package let signatureForm: ProviderToken.SignatureForm

    /// Parses the value of an `authorization` field.
    package static func parse(_ authorization: Span<UInt8>) -> Outcome {
        guard let text = bearerToken(authorization) else { return .missing }
        do throws(Malformed) {
            return .parsed(try Self(authorization, text))
        } catch {
            return .malformed(error.explanation)
        }
    }

    /// Returns the number of bytes of an `authorization` value before the signature, up to the second dot, even if the
    /// value is otherwise malformed.
    package static func lengthWithoutSignature(_ authorization: Span<UInt8>) -> Int {
        var dots = 0
        for index in 0..<authorization.count where authorization[index] == UInt8(ascii: ".") {
            dots += 1
            if dots == 2 { return index }
        }
        return authorization.count
    }

    /// Returns the range of the token in a value with the scheme `bearer`.
    private static func bearerToken(_ value: Span<UInt8>) -> Range<Int>? {
        guard value.extracting(first: 6).equalsIgnoringCase("bearer") else { return nil }
        // A line end at the end stays: it is worth telling.
        let text = (6..<value.count).filter { !value[$0].isBlank }
        guard let first = text.first, let last = text.last, first > 6 else { return nil }
        return first..<last + 1
    }

    private init(_ bytes: Span<UInt8>, _ text: Range<Int>) throws(Malformed) {
        if let end = text.first(where: { bytes[$0] == UInt8(ascii: "\n") || bytes[$0] == UInt8(ascii: "\r") }) {
            throw Malformed(
                """
                The provider token has a line end after \(end - text.lowerBound) characters; it must be on one line, so \
                encode its parts without line ends (base64 -w 0, openssl base64 -A).
                """
            )
        }
        let dots = text.filter { bytes[$0] == UInt8(ascii: ".") }
        guard dots.count == 2 else {
            let parts: Explanation =
                dots.isEmpty
                ? "The provider token is \(quoted: bytes.extracting(text)), which contains no dot; a token consists of three base64 parts separated by dots: header, claims and signature."
                : "The provider token has \(dots.count + 1) parts, starting with \(quoted: bytes.extracting(text.lowerBound..<dots[0])); a token consists of three base64 parts separated by dots: header, claims and signature."
            throw Malformed(parts)
        }
        let header = try TokenPart("header", bytes.extracting(text.lowerBound..<dots[0]))
        let claims = try TokenPart("claims", bytes.extracting(dots[0] + 1..<dots[1]))
        guard let algorithm = header.value(of: "alg") else {
            throw Malformed(
                "The provider token's header is \(quoted: header.json.span), without alg; APNs accepts only \"ES256\".")
        }
        guard algorithm.string == "ES256" else {
            throw Malformed("The provider token's alg is \(quoted: algorithm.text); APNs accepts only \"ES256\".")
        }
        keyID = try header.identifier("kid", "the ten characters of the signing key's id")
        teamID = try claims.identifier("iss", "the ten characters of the developer team's id")
        guard let issued = claims.value(of: "iat") else {
            throw Malformed(
                """
                The provider token's claims are \(quoted: claims.json.span), without iat; it must be the time of issue \
                in seconds since 1970.
                """
            )
        }
        guard let issuedAt = issued.seconds else {
            throw Malformed(
                "The provider token's iat is \(quoted: issued.text); it must be the time of issue in seconds since 1970."
            )
        }
        self.issuedAt = issuedAt
        signingInput = text.lowerBound..<dots[1]
        let signature = bytes.extracting(dots[1] + 1..<text.upperBound)
        guard !signature.isEmpty else {
            throw Malformed("The provider token's signature is \"\"; APNs wants ES256, 64 bytes or DER.")
        }
        guard let signature = Base64URL.decode(signature) else {
            throw Malformed(
                """
                The provider token's signature, \(signature.count) characters, is not base64 (in one alphabet, with \
                complete padding or none).
                """
            )
        }
        self.signature = signature
        signatureForm = signature.count == 64 ? .raw : .der
        guard signature.count == 64 || signature.first == 0x30 else {
            throw Malformed(
                """
                The provider token's signature has \(signature.count) bytes; ES256 has 64, or is DER (a SEQUENCE of \
                two INTEGERs).
                """
            )
        }
    }

    /// Why a token cannot be parsed.
    struct Malformed: Error {
        let explanation: Explanation
        init(_ explanation: Explanation) { self.explanation = explanation }
    }
}

/// The header or the claims of a provider token: a JSON object in base64.
private struct TokenPart {
    let name: String
    let json: [UInt8]
    let members: [(name: String, value: TokenValue)]

    init(_ name: String, _ text: Span<UInt8>) throws(ParsedProviderToken.Malformed) {
        self.name = name
        guard let json = Base64URL.decode(text) else {
            throw .init(
                """
                The provider token's \(name) part is \(quoted: text), which is not base64 (in one alphabet, with \
                complete padding or none).
                """
            )
        }
        self.json = json
        members = try TokenValue.members(of: json, name: name)
    }

    func value(of member: String) -> TokenValue? { members.first { $0.name == member }?.value }

    func identifier(_ member: String, _ meaning: String) throws(ParsedProviderToken.Malformed) -> String {
        guard let value = value(of: member) else {
            throw .init(
                "The provider token's \(name) part is \(quoted: json.span), without \(member); it is \(meaning)."
            )
        }
        guard let text = value.string, !text.isEmpty else {
            throw .init("The provider token's \(member) is \(quoted: value.text); it must be \(meaning).")
        }
        return text
    }
}

extension UInt8 {
    /// Whether the byte is a space or a tab.
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension Span<UInt8> {
    fileprivate func equalsIgnoringCase(_ lowercase: String) -> Bool {
        guard count == lowercase.utf8.count else { return false }
        for (index, byte) in lowercase.utf8.enumerated() where self[index] | 0x20 != byte { return false }
        return true
    }
}
