import MockAPNSCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// The server as a test uses it: for the time of a closure, and with what a provider has to be told of it.

extension MockAPNSServer {
    /// Serves while the body runs.
    ///
    /// ```swift
    /// try await MockAPNSServer.withServer(.init(scenario: .file(url))) { apns in
    ///     try await send(to: apns.url, trusting: apns.certificateAuthority.pem, signingWith: apns.signingKey.pem)
    ///     let pushes = try await apns.requests(matching: .device("alice").status(200), count: 2)
    ///     #expect(pushes[1].collapseID == "score")
    ///     let verification = await apns.verify()
    ///     #expect(verification.passed)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: addresses, identity, scenario; by default free ports and an identity made in memory.
    ///   - isolation: the actor on which the body runs: the caller's.
    ///   - body: what happens meanwhile; when it returns or throws, the server is stopped.
    /// - Throws: ``StartError`` when it cannot start, and what the body throws.
    public static func withServer<Result>(
        _ configuration: Configuration = Configuration(), isolation: isolated (any Actor)? = #isolation,
        _ body: (MockAPNSServer) async throws -> sending Result
    ) async throws -> sending Result {
        let server = try await start(configuration)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    /// A certificate or key as a text.
    public struct PEM: Sendable, Hashable {
        /// The text, from `-----BEGIN` on.
        public let pem: String

        init(_ bytes: [UInt8]) { pem = String(decoding: bytes, as: UTF8.self) }
    }

    /// The certificate that a provider has to trust.
    public var certificateAuthority: PEM { PEM(identity.certificateAuthority) }

    /// The PKCS#8 key with which a provider signs its tokens, as in Apple's `.p8` file.
    public var signingKey: PEM { PEM(identity.signingKey) }

    /// The id of ``signingKey``, `kid` of a provider token.
    public var keyID: String { identity.keyID }

    /// The team's id, `iss` of a provider token.
    public var teamID: String { identity.teamID }

    /// A topic that may be pushed to, the value of `apns-topic`.
    public var topic: String { identity.topic }

    /// A provider certificate for ``topic``, for a provider that does not sign tokens.
    public var clientCertificate: PEM { PEM(identity.client.certificate) }

    /// The key of ``clientCertificate``.
    public var clientKey: PEM { PEM(identity.client.privateKey) }

    /// A provider token that is taken now, for a client that cannot sign one: the value of `authorization` is `bearer`
    /// and this.
    ///
    /// - Parameter issuedAt: `iat`, in whole seconds; `nil`: now. APNs takes tokens of at most an hour of age.
    public func providerToken(issuedAt: Date? = nil) throws -> String {
        let identity = identity
        let signer = try ProviderTokenSigner(
            privateKey: identity.signingKey, keyID: identity.keyID, teamID: identity.teamID)
        return try signer.token(issuedAt: issuedAt.map { Timestamp($0).seconds })
    }
}
