import MockAPNS
import MockAPNSCore
import MockAPNSTransport

/// Makes provider tokens of any shape. A shape is signed once: tokens that change often are an offense of their own.
struct ProviderTokens {
    private let keys: [KeyKind: ProbeTarget.Key]
    /// A run may take longer than the ages of tokens differ by.
    private let now: @Sendable () -> Timestamp
    private var made: [String: String] = [:]
    /// The texts that no report may contain.
    private(set) var secrets: [String] = []

    init(_ keys: [KeyKind: ProbeTarget.Key], now: @escaping @Sendable () -> Timestamp = WallClock.now) {
        self.keys = keys
        self.now = now
    }

    /// Returns the value of `authorization`.
    mutating func authorization(_ shape: ProviderTokenShape) throws -> String {
        let name = "\(shape)"
        if let value = made[name] { return value }
        let token = try token(shape)
        secrets.append(token)
        secrets += token.split(separator: ".").map(String.init)
        made[name] = shape.scheme + token
        return shape.scheme + token
    }

    private func token(_ shape: ProviderTokenShape) throws -> String {
        let unknown = try ES256SigningKey.generate()
        let provider = keys[.provider]
        let key =
            keys[shape.key]
            ?? ProbeTarget.Key(
                key: unknown, keyID: "UNKNOWN123", teamID: provider?.teamID ?? "UNKNOWN123")
        var header = [#""alg":"\#(shape.algorithm)""#]
        if shape.isVerbose { header.append(#""typ":"JWT""#) }
        if shape.namesKey { header.append(#""kid":"\#(key.keyID)""#) }
        var claims: [String] = []
        if shape.namesTeam { claims.append(#""iss":"\#(key.teamID)""#) }
        let issuedAt = now().seconds - Int64(shape.age)
        switch shape.issuedAtForm {
        case .integer: claims.append(#""iat":\#(issuedAt)"#)
        case .string: claims.append(#""iat":"\#(issuedAt)""#)
        case .fraction: claims.append(#""iat":\#(issuedAt).25"#)
        case .milliseconds: claims.append(#""iat":\#(issuedAt)000"#)
        case .missing: break
        }
        if shape.isVerbose, shape.namesKey { claims.append(#""kid":"\#(key.keyID)""#) }
        let message = [header, claims].map { encoded(Self.object($0, shape), shape) }.joined(separator: ".")
        let signer = shape.signature == .wrong ? unknown : key.key
        let bytes = Array(message.utf8)
        switch shape.signature {
        case .raw, .wrong: return "\(message).\(encoded(try signer.sign(bytes.span), shape))"
        case .der: return "\(message).\(encoded(try signer.signDER(bytes.span), shape))"
        case .missing: return message
        }
    }

    private static func object(_ members: [String], _ shape: ProviderTokenShape) -> [UInt8] {
        let text =
            shape.isVerbose
            ? "{\n  " + members.joined(separator: ",\n  ") + "\n}" : "{" + members.joined(separator: ",") + "}"
        return Array(text.utf8)
    }

    private func encoded(_ bytes: [UInt8], _ shape: ProviderTokenShape) -> String {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        let alphabet = Array(letters + (shape.hasStandardAlphabet ? "+/" : "-_"))
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for index in 0...part.count { text.append(alphabet[bits >> (18 - 6 * index) & 63]) }
            if shape.isPadded { text += String(repeating: "=", count: 3 - part.count) }
        }
        return text
    }
}
