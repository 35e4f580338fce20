import MockAPNSCore
import MockAPNSTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signs provider tokens, for `curl` and for tests that have no client library.
///
/// A token is a JSON Web Token, ES256, as in Apple's page
/// [Establishing a token-based connection to APNs](https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
package struct ProviderTokenSigner: Sendable {
    private let key: ES256SigningKey
    private let keyID: String
    private let teamID: String

    /// A signer with the PEM text of a P-256 private key, as in Apple's `.p8` files.
    package init(privateKey: [UInt8], keyID: String, teamID: String) throws(StartError) {
        do { key = try ES256SigningKey(pem: privateKey) } catch {
            throw .malformed("The signing key cannot be read: \(error). It must be a P-256 private key in PEM.")
        }
        self.keyID = keyID
        self.teamID = teamID
    }

    /// The token, without the word `bearer`.
    ///
    /// - Parameter issuedAt: seconds since 1970, `nil` being now; APNs takes tokens of at most an hour of age.
    package func token(issuedAt: Int64? = nil) throws -> String {
        let issuedAt = issuedAt ?? WallClock.now().seconds
        let header = base64URL(Array(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8))
        let claims = base64URL(Array(#"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#.utf8))
        let message = "\(header).\(claims)"
        return "\(message).\(base64URL(try key.sign(Array(message.utf8).span)))"
    }

    /// RFC 7515, appendix C.
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
