extension ConnectionFacts {
    /// A client certificate that passed the TLS handshake.
    ///
    /// See [Establishing a certificate-based connection to APNs](https://developer.apple.com/documentation/usernotifications/establishing-a-certificate-based-connection-to-apns).
    package struct ClientCertificate: Sendable {
        /// The subject on one line; it also says if not all topics are kept.
        package var subject: String
        /// The serial number in hexadecimal.
        package var serial: String
        /// The topics, from the topic extension or the subject. Pushes may go to these only, suffixes included. A
        /// single topic is the default.
        package var topics: TopicList
        /// Whether it is valid for the sandbox.
        package var isForSandbox: Bool
        /// Whether it is valid for production.
        package var isForProduction: Bool
        /// Whether it is a push certificate at all; any other gets BadCertificate.
        package var isPush: Bool

        /// Creates a certificate.
        package init(
            subject: String, serial: String, topics: TopicList, isForSandbox: Bool = true, isForProduction: Bool = true,
            isPush: Bool = true
        ) {
            self.subject = subject
            self.serial = serial
            self.topics = topics
            self.isForSandbox = isForSandbox
            self.isForProduction = isForProduction
            self.isPush = isPush
        }

        /// Apple's extensions of a push certificate.
        package struct Extensions: Sendable {
            /// All names in extension 1.2.840.113635.100.6.3.6; empty without it.
            package var topics: [String]
            /// Extension 1.2.840.113635.100.6.3.4.
            package var voIPBundle: String?
            /// Whether it has extension 1.2.840.113635.100.6.3.1.
            package var isDevelopment: Bool
            /// Whether it has extension 1.2.840.113635.100.6.3.2.
            package var isProduction: Bool

            /// Creates the extensions.
            package init(topics: [String], voIPBundle: String?, isDevelopment: Bool, isProduction: Bool) {
                self.topics = topics
                self.voIPBundle = voIPBundle
                self.isDevelopment = isDevelopment
                self.isProduction = isProduction
            }
        }

        /// Creates a certificate from its contents, as far as they are kept: long texts are cut, and topics beyond
        /// 16 KB are left out, so that pushes to them are refused.
        ///
        /// - Parameters:
        ///   - subject: the subject on one line.
        ///   - serial: the serial number in hexadecimal.
        ///   - commonName: the subject's common name, for example `Apple Push Services: com.example.app`.
        ///   - userID: the subject's user id: the topic.
        ///   - extensions: Apple's extensions.
        package init(
            subject: String, serial: String, commonName: String?, userID: String?, _ extensions: Extensions
        ) {
            let (isDevelopment, isProduction) = (extensions.isDevelopment, extensions.isProduction)
            var names = extensions.topics
            if let voIPBundle = extensions.voIPBundle {
                let topic = voIPBundle.hasSuffix(".voip") ? voIPBundle : voIPBundle + ".voip"
                if !names.contains(topic) { names.append(topic) }
            }
            if names.isEmpty, let userID { names = [userID] }
            let kind = commonName.flatMap { name in Self.kinds.first { name.hasPrefix($0.prefix) } }
            // Old certificates show their environment in the name only.
            let says = isDevelopment || isProduction
            let kept = KeptText.first(of: names)
            let isPart = kept.count < names.count
            let note = isPart ? " (\(kept.count.withCommas) of \(names.count.withCommas) topics are kept)" : ""
            self.init(
                subject: KeptText.cut(subject) + note, serial: KeptText.cut(serial), topics: TopicList(Array(kept)),
                isForSandbox: says ? isDevelopment : kind?.isForSandbox ?? false,
                isForProduction: says ? isProduction : kind?.isForProduction ?? false,
                isPush: !names.isEmpty && (says || kind != nil))
        }

        /// The environments it is valid for: `sandbox`, `production`, both or neither.
        package var environments: [String] {
            (isForSandbox ? ["sandbox"] : []) + (isForProduction ? ["production"] : [])
        }

        /// Prefixes of the common names of push certificates that may have no environment extension, with their
        /// environments. A universal certificate, `Apple Push Services: …`, always has its extensions.
        private static let kinds: [(prefix: String, isForSandbox: Bool, isForProduction: Bool)] = [
            ("Apple Development IOS Push Services: ", true, false),
            ("Apple Production IOS Push Services: ", false, true),
            ("Apple Development Mac Push Services: ", true, false),
            ("Apple Production Mac Push Services: ", false, true),
            ("VoIP Services: ", true, true),
            ("WatchKit Services: ", true, true),
            ("Website Push ID: ", false, true),
            ("Pass Type ID: ", false, true),
            ("APSP:", false, true),
        ]
    }
}
