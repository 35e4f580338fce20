/// A parsed provider token, with its signature verified if required: the value of one `authorization` field.
///
/// It is immutable, so the server creates it outside the lock, caches it by its exact bytes and passes it in with each
/// push. Everything that changes over time is checked for each push: the age, the revocation of the key, the team of
/// the connection and the rate of new tokens.
package final class ProviderToken: Sendable {
    /// The encoding of the signature.
    package enum SignatureForm: UInt8, Sendable {
        /// R and S, 32 bytes each, as in RFC 7518, section 3.4.
        case raw
        /// ASN.1 DER, as OpenSSL and Java write it; APNs accepts it.
        case der
    }

    /// The result of verifying the signature.
    package enum Proof: Sendable {
        /// It was made with the key that the token names.
        case verified
        /// Not checked: the key is unknown, or signatures are not verified.
        case notVerified
        /// The token itself is invalid.
        case refused(Reason, Explanation)
    }

    /// The exact value of the field.
    package let authorization: [UInt8]
    /// Number of bytes of ``authorization`` before the signature part: what may be recorded.
    package let lengthWithoutSignature: Int
    /// The `kid`; `nil` if it could not be parsed.
    package let keyID: String?
    /// The `iss`; `nil` if it could not be parsed.
    package let teamID: String?
    /// The `iat`; `nil` if it could not be parsed.
    package let issuedAt: Timestamp?
    /// The encoding of the signature; `nil` if the token could not be parsed.
    package let signatureForm: SignatureForm?
    /// The result of verifying the signature.
    package let proof: Proof
    /// A hash of ``authorization``.
    package let hash: UInt64

    /// Creates a token that could be parsed, with the result of verifying its signature.
    package init(_ parsed: ParsedProviderToken, authorization: Span<UInt8>, proof: Proof) {
        self.authorization = Array(copying: authorization)
        lengthWithoutSignature = ParsedProviderToken.lengthWithoutSignature(authorization)
        hash = authorization.hash
        keyID = parsed.keyID
        teamID = parsed.teamID
        issuedAt = parsed.issuedAt
        signatureForm = parsed.signatureForm
        self.proof = proof
    }

    /// Creates a token that could not be parsed: 403 InvalidProviderToken with this explanation.
    package init(malformed explanation: Explanation, authorization: Span<UInt8>) {
        self.authorization = Array(copying: authorization)
        lengthWithoutSignature = ParsedProviderToken.lengthWithoutSignature(authorization)
        hash = authorization.hash
        keyID = nil
        teamID = nil
        issuedAt = nil
        signatureForm = nil
        proof = .refused(.invalidProviderToken, explanation)
    }

    /// Creates a token from a log, without its signature. Tokens may differ only in that, and so in the hash.
    init(
        recorded authorization: [UInt8], hash: UInt64, keyID: String?, teamID: String?, issuedAt: Timestamp?,
        signatureForm: SignatureForm?
    ) {
        self.authorization = authorization
        lengthWithoutSignature = ParsedProviderToken.lengthWithoutSignature(authorization.span)
        self.hash = hash
        self.keyID = keyID
        self.teamID = teamID
        self.issuedAt = issuedAt
        self.signatureForm = signatureForm
        proof = .notVerified
    }

    /// Creates a token from a log with another number.
    package convenience init(_ token: ProviderToken, numbered number: UInt64) {
        self.init(
            recorded: token.authorization, hash: number, keyID: token.keyID, teamID: token.teamID,
            issuedAt: token.issuedAt, signatureForm: token.signatureForm)
    }

    /// Returns whether this is the token of a field with this value.
    package func hasAuthorization(_ other: Span<UInt8>) -> Bool {
        let own = authorization
        return own.span.equals(other)
    }

    /// Returns whether both tokens have the same text.
    func isSame(as other: ProviderToken) -> Bool {
        self === other || hash == other.hash && authorization == other.authorization
    }
}

extension Array<UInt8> {
    package init(copying span: Span<UInt8>) {
        self.init()
        append(span)
    }
}

extension Span<UInt8> {
    /// A hash of the bytes (FNV-1a over four bytes at a time, mixed at the end). It is not secret: a client that makes
    /// tokens collide only causes its own tokens to be verified again.
    var hash: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        var index = 0
        while index + 4 <= count {
            hash = (hash ^ UInt64(word(at: index))) &* 0x100_0000_01b3
            index += 4
        }
        while index < count {
            hash = (hash ^ UInt64(self[index])) &* 0x100_0000_01b3
            index += 1
        }
        hash = (hash ^ hash >> 32) &* 0x9e37_79b9_7f4a_7c15
        return hash ^ hash >> 29
    }
}

/// A cache of recent provider tokens, by their exact bytes.
///
/// It has a fixed number of slots, four for each value of the hash; a new token replaces the oldest of them.
struct ProviderTokenCache {
    private static let ways = 4
    private static let sets = 256
    private var slots: [ProviderToken?]

    init() { slots = Array(repeating: nil, count: Self.ways * Self.sets) }

    func find(_ authorization: Span<UInt8>) -> ProviderToken? {
        let hash = authorization.hash
        let first = Int(hash % UInt64(Self.sets)) * Self.ways
        for slot in first..<first + Self.ways {
            if let token = slots[slot], token.hash == hash, token.hasAuthorization(authorization) { return token }
        }
        return nil
    }

    mutating func insert(_ token: ProviderToken) {
        let first = Int(token.hash % UInt64(Self.sets)) * Self.ways
        let last = first + Self.ways - 1
        // Newest first; drops the same token, or else the oldest or an empty slot.
        let known = (first..<last).first { slots[$0]?.isSame(as: token) == true } ?? last
        for slot in stride(from: known, to: first, by: -1) { slots[slot] = slots[slot - 1] }
        slots[first] = token
    }

    mutating func removeAll() { self = Self() }
}
