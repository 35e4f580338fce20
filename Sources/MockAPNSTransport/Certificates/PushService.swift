/// The service of a provider certificate for one topic. Apple names it in the common name.
///
/// The certificates are valid for both environments. Those of Apple for Wallet, websites and MDM are for production
/// alone.
package enum PushService: String, Sendable, CaseIterable {
    /// VoIP calls: the bundle id and `.voip`.
    case voip
    /// Wallet passes: a pass type id, `pass.com.example.app`.
    case pass
    /// Websites in Safari: a website push id, `web.com.example.app`.
    case website
    /// Complications of an Apple Watch: the bundle id and `.complication`.
    case watchkit
    /// Mobile device management: `com.apple.mgmt.External.` and a UUID.
    case mdm

    /// The prefix of the topics of an MDM certificate.
    package static let mdmPrefix = "com.apple.mgmt."

    /// Returns the topic for a name given by the user, with the prefix or suffix of the service added if it is missing;
    /// `nil` if it cannot be one.
    ///
    /// - Parameter name: the topic or the bundle id; for ``mdm`` always the topic.
    package func topic(for name: String) -> String? {
        switch self {
        case .voip, .watchkit: name.hasSuffix(suffix) ? name : name + suffix
        case .pass, .website: name.hasPrefix(prefix) ? name : prefix + name
        case .mdm: name.hasPrefix(prefix) && name.utf8.count > prefix.utf8.count ? name : nil
        }
    }

    /// Returns the topic of a certificate made without one.
    ///
    /// - Parameter bundle: the bundle id of the app in the examples.
    package func defaultTopic(bundle: String) -> String {
        topic(for: bundle) ?? Self.mdmPrefix + "External.5f1d3c52-9a1e-4a0e-8d0b-6c3f2b7a9e10"
    }

    func commonName(of topic: String) -> String {
        switch self {
        case .voip: "VoIP Services: \(bundle(of: topic))"
        case .pass: "Pass Type ID: \(topic)"
        case .website: "Website Push ID: \(topic)"
        case .watchkit: "WatchKit Services: \(bundle(of: topic))"
        case .mdm: "APSP:\(topic.split(separator: ".").last ?? "")"
        }
    }

    func bundle(of topic: String) -> String { String(topic.dropLast(suffix.count)) }

    private var prefix: String {
        switch self {
        case .pass: "pass."
        case .website: "web."
        case .mdm: Self.mdmPrefix
        case .voip, .watchkit: ""
        }
    }

    private var suffix: String {
        switch self {
        case .voip: ".voip"
        case .watchkit: ".complication"
        case .pass, .website, .mdm: ""
        }
    }
}
