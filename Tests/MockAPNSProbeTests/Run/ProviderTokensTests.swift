import MockAPNS
import Testing

@testable import MockAPNSCore
@testable import MockAPNSProbe

@Suite("The provider tokens of a run")
struct ProviderTokensTests {
    private static func issuedAt(_ authorization: String) throws -> Int64? {
        let parts = authorization.split(separator: ".")
        let text = Array(parts[1].utf8)
        let claims = Base64URL.decode(text.span) ?? []
        return try JSONText.read(claims)["iat"]?.int64
    }

    /// A run against a slow server takes longer than the minute by which a token of 59 minutes is younger than an hour.
    @Test func tokensHaveTheirAgeWhenMade() throws {
        let time = Guarded(Timestamp(seconds: 1_795_000_000))
        var tokens = ProviderTokens([:]) { time.withLock { $0 } }
        var shape = ProviderTokenShape()
        let first = try tokens.authorization(shape)
        #expect(try Self.issuedAt(first) == 1_795_000_000)
        time.withLock { $0 = Timestamp(seconds: 1_795_000_300) }
        shape.age = 3540
        #expect(try Self.issuedAt(try tokens.authorization(shape)) == 1_795_000_300 - 3540)
        // One that is there stays the same: tokens that change often are an offense.
        shape.age = 0
        #expect(try tokens.authorization(shape) == first)
    }
}
