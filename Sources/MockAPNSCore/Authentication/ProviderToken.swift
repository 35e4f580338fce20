/// A provider token that was read, and its signature verified where that is asked for: the value of one `authorization`
/// field.
///
/// It never changes, so the server makes it outside the lock, remembers it by its exact bytes and hands it in with each
/// push. Whatever changes with time is judged at each push: the age, the key's revocation, the connection's team and the
/// rate of new tokens.
package final class ProviderToken: Sendable {
    /// How the signature is written.
    package enum SignatureForm: UInt8, Sendable {
        /// R and S, 32 bytes each, as RFC 7518 section 3.4 has it.
        case raw
        /// ASN.1 DER, as OpenSSL and Java write it; APNs accepts it.
        case der
    }

    /// What is known of the signature.
    package enum Proof: Sendable {
        /// It was made with the key that the token names.
        case verified
        /// Nobody looked: the key is not known, or signatures are not asked for.
        case notVerified
        /// The token is no good by itself.
        case refused(Reason, Explanation)
    }

    /// The field's value to the byte.
    package let authorization: [UInt8]
    /// Number of bytes of ``authorization`` before the signature part: what may be recorded.
    package let lengthWithoutSignature: Int
    /// The `kid`; `nil` when it could not be read.
    package let keyID: String?
    /// The `iss`; `nil` when it could not be read.
    package let teamID: String?
    /// The `iat`; `nil` when it could not be read.
    package let issuedAt: Timestamp?
    /// How the signature is written; `nil` when the token could not be read.
    package let signatureForm: SignatureForm?
    /// What is known of the signature.
    package let proof: Proof
    /// A hash of ``authorization``.
    let hash: UInt64

    /// A token that could be read, with what the server found out about its signature.
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

    /// A token that could not be read: 403 InvalidProviderToken for that reason.
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

    /// A token as a recorded log tells of it: without its signature, by which others may differ that have other numbers.
    init(
        recorded authorization: [UInt8], number: Int, keyID: String?, teamID: String?, issuedAt: Timestamp?,
        signatureForm: SignatureForm?
    ) {
        self.authorization = authorization
        lengthWithoutSignature = ParsedProviderToken.lengthWithoutSignature(authorization.span)
        hash = UInt64(number)
        self.keyID = keyID
        self.teamID = teamID
        self.issuedAt = issuedAt
        self.signatureForm = signatureForm
        proof = .notVerified
    }

    /// Whether it is this field's token.
    package func hasAuthorization(_ other: Span<UInt8>) -> Bool {
        let own = authorization
        return own.span.equals(other)
    }

    /// Whether two are the same text.
    func isSame(as other: ProviderToken) -> Bool {
        self === other || hash == other.hash && authorization == other.authorization
    }
}

extension Array<UInt8> {
    init(copying span: Span<UInt8>) {
        self.init()
        reserveCapacity(span.count)
        for index in 0..<span.count { append(span[index]) }
    }
}

extension Span<UInt8> {
    /// A hash of the bytes (FNV-1a over four bytes at a time, mixed at the end). Not secret: a client that makes tokens
    /// collide only has its own tokens verified again.
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

/// The provider tokens that were read lately, found by their exact bytes.
///
/// A fixed number of slots, four for each value of the hash; a newcomer reslots the oldest of them.
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
        // Newest first; the same token, or else the oldest, falls out.
        let known = (first...last).first { slots[$0]?.isSame(as: token) ?? true } ?? last
        for slot in stride(from: known, to: first, by: -1) { slots[slot] = slots[slot - 1] }
        slots[first] = token
    }

    mutating func removeAll() { self = Self() }
}
