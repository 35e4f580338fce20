import MockAPNSCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Support for tests: a server for the duration of a closure, and the values that a provider needs to use it.

extension MockAPNSServer {
    /// Runs a server while the body runs.
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
    ///   - configuration: addresses, identity, scenario; by default free ports and an identity created in memory.
    ///   - isolation: the actor on which the body runs: the caller's.
    ///   - body: uses the server, which is stopped when the body returns or throws.
    /// - Throws: ``StartError`` if the server cannot start, and any error of the body.
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

    /// A certificate or key as text.
    public struct PEM: Sendable, Hashable {
        /// The text, starting with `-----BEGIN`.
        public let pem: String

        init(_ bytes: [UInt8]) { pem = String(decoding: bytes, as: UTF8.self) }
    }

    /// The certificate that a provider has to trust.
    public var certificateAuthority: PEM { PEM(identity.certificateAuthority) }

    /// The PKCS#8 key that a provider signs its tokens with, as in Apple's `.p8` files.
    public var signingKey: PEM { PEM(identity.signingKey) }

    /// The id of ``signingKey``, `kid` in a provider token.
    public var keyID: String { identity.keyID }

    /// The team's id, `iss` in a provider token.
    public var teamID: String { identity.teamID }

    /// A topic that accepts pushes, the value of `apns-topic`.
    public var topic: String { identity.topic }

    /// A provider certificate for ``topic``, for providers that do not sign tokens.
    public var clientCertificate: PEM { PEM(identity.client.certificate) }

    /// The key of ``clientCertificate``.
    public var clientKey: PEM { PEM(identity.client.privateKey) }

    /// Returns a provider token for a client that cannot sign one: the value of `authorization` is `bearer` followed by
    /// this token.
    ///
    /// - Parameter issuedAt: `iat`, in whole seconds; `nil` for now, or the time on the scenario's clock if that judges
    ///   provider tokens. APNs accepts tokens that are at most an hour old.
    public func providerToken(issuedAt: Date? = nil) throws -> String {
        let identity = identity
        let signer = try ProviderTokenSigner(
            privateKey: identity.signingKey, keyID: identity.keyID, teamID: identity.teamID)
        return try signer.token(issuedAt: issuedAt.map { Timestamp($0).seconds } ?? engine.timeOfProviderTokens.seconds)
    }
}
