extension MockAPNSWords {
    /// Which of APNs' environments the server plays.
    public enum Environment: String, MockAPNSWord {
        /// Answers contain `apns-unique-id`.
        case sandbox
        /// Answers do not contain `apns-unique-id`.
        case production
        /// Production for a client whose TLS ClientHello names `api.push.apple.com`,
        /// `api-manage-broadcast.push.apple.com` or `api-broadcast.push.apple.com`, sandbox for all others.
        case serverName

        /// Apple's hosts of production, for pushes, for channel management, and for broadcast pushes in Apple's samples.
        private static let productionHosts: Set = [
            "api.push.apple.com", "api-manage-broadcast.push.apple.com", "api-broadcast.push.apple.com",
        ]

        /// Returns whether connections with this server name belong to the sandbox.
        package func isSandbox(serverName: String?) -> Bool {
            switch self {
            case .sandbox: true
            case .production: false
            case .serverName: !Self.productionHosts.contains(serverName ?? "")
            }
        }
    }
}
