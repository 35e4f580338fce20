import MockAPNSCore
import Synchronization

extension Engine {
    /// A provider token of the default identity for pushes of the admin API, replaced after half its lifetime.
    struct AdminToken: Sendable {
        var text: String
        var issuedAt: Int64
        /// The ``Engine/trustVersion`` that the key belongs to.
        var trustVersion: Int

        /// How long a token is used, in seconds.
        static let lifetime: Int64 = 1800
    }

    /// Returns the token in use, or a new one.
    func adminToken() throws -> String {
        let (now, version) = (timeOfProviderTokens.seconds, trustVersion.load(ordering: .acquiring))
        if let token = adminTokenInUse.withLock({ $0 }), token.trustVersion == version,
            0..<AdminToken.lifetime ~= now - token.issuedAt
        {
            return token.text
        }
        let identity = identity
        let signer = try ProviderTokenSigner(
            privateKey: identity.signingKey, keyID: identity.keyID, teamID: identity.teamID)
        let text = try signer.token(issuedAt: now)
        adminTokenInUse.withLock { $0 = AdminToken(text: text, issuedAt: now, trustVersion: version) }
        return text
    }
}
