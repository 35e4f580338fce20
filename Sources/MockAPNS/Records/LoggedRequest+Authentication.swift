import MockAPNSCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockAPNSServer.LoggedRequest {
    /// How the provider authenticated: the member `authentication` of a record.
    public struct Authentication: Sendable, Hashable {
        /// With what the provider authenticated.
        public let method: Method
        /// `kid` of the provider token.
        public let keyID: String?
        /// `iss` of the provider token.
        public let teamID: String?
        /// `iat` of the provider token.
        public let issuedAt: Date?
        /// The number of the provider token among the different ones of its connection, 1 for the first.
        public let providerToken: Int?
        /// Whether it was valid; `nil` when that was not checked.
        public let verdict: Verdict?

        init(_ record: RequestRecord, _ token: ProviderToken?) {
            method = record.authentication
            keyID = token?.keyID
            teamID = token?.teamID
            issuedAt = (token?.issuedAt?.seconds).map(Date.init)
            providerToken = record.providerToken == 0 ? nil : Int(record.providerToken)
            verdict = record.verdict
        }
    }
}
