import MockAPNSCore
import MockAPNSTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signs provider tokens, for `curl` and for tests without a client library.
///
/// A token is a JSON Web Token signed with ES256, as described in
/// [Establishing a token-based connection to APNs](https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
package struct ProviderTokenSigner: Sendable {
    private let key: ES256SigningKey
    private let keyID: String
    private let teamID: String

    /// Creates a signer from the PEM of a P-256 private key, as in Apple's `.p8` files.
    package init(privateKey: [UInt8], keyID: String, teamID: String) throws(StartError) {
        do { key = try ES256SigningKey(pem: privateKey) } catch {
            throw .malformed("The signing key cannot be read: \(error). It must be a P-256 private key in PEM.")
        }
        self.keyID = keyID
        self.teamID = teamID
    }

    /// Returns a token, without the word `bearer`.
    ///
    /// - Parameter issuedAt: seconds since 1970; `nil` for now. APNs accepts tokens that are at most an hour old.
    package func token(issuedAt: Int64? = nil) throws -> String {
        let issuedAt = issuedAt ?? WallClock.now().seconds
        let header = base64URL(Array(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8))
        let claims = base64URL(Array(#"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#.utf8))
        let message = "\(header).\(claims)"
        return "\(message).\(base64URL(try key.sign(Array(message.utf8).span)))"
    }

    /// Encodes bytes as in RFC 7515, appendix C.
    private func base64URL(_ bytes: [UInt8]) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }
}
