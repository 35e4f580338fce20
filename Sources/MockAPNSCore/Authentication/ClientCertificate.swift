extension ConnectionFacts {
    /// A client certificate that passed the TLS handshake.
    ///
    /// See [Establishing a certificate-based connection to APNs](https://developer.apple.com/documentation/usernotifications/establishing-a-certificate-based-connection-to-apns).
    package struct ClientCertificate: Sendable {
        /// Its subject in one line.
        package var subject: String
        /// Its serial number, in hexadecimal digits.
        package var serial: String
        /// Its topics, from the certificate's topic extension or its subject. A push may go to these and to no other,
        /// suffixes included. The only one is the default.
        package var topics: TopicList
        /// Whether it is good for the sandbox.
        package var isForSandbox: Bool
        /// Whether it is good for production.
        package var isForProduction: Bool
        /// Whether it is one for pushes at all; another one earns BadCertificate.
        package var isPush: Bool

        /// A certificate with these properties.
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

        /// What Apple's extensions of a push certificate say.
        package struct Extensions: Sendable {
            /// The names in extension 1.2.840.113635.100.6.3.6, all of them; empty without it.
            package var topics: [String]
            /// Extension 1.2.840.113635.100.6.3.4.
            package var voIPBundle: String?
            /// Whether there is extension 1.2.840.113635.100.6.3.1.
            package var isDevelopment: Bool
            /// Whether there is extension 1.2.840.113635.100.6.3.2.
            package var isProduction: Bool

            /// Extensions that say this.
            package init(topics: [String], voIPBundle: String?, isDevelopment: Bool, isProduction: Bool) {
                self.topics = topics
                self.voIPBundle = voIPBundle
                self.isDevelopment = isDevelopment
                self.isProduction = isProduction
            }
        }

        /// A certificate that says these things of itself.
        ///
        /// - Parameters:
        ///   - subject: the subject in one line.
        ///   - serial: the serial number, in hexadecimal digits.
        ///   - commonName: the subject's common name, `Apple Push Services: com.example.app`.
        ///   - userID: the subject's user id, the topic.
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
            // Old certificates say their environment in the name only.
            let says = isDevelopment || isProduction
            self.init(
                subject: subject, serial: serial, topics: TopicList(names),
                isForSandbox: says ? isDevelopment : kind?.isForSandbox ?? false,
                isForProduction: says ? isProduction : kind?.isForProduction ?? false,
                isPush: !names.isEmpty && (says || kind != nil))
        }

        /// What it is good for: `sandbox`, `production`, both or neither.
        package var environments: [String] {
            (isForSandbox ? ["sandbox"] : []) + (isForProduction ? ["production"] : [])
        }

        /// What the common names of push certificates begin with that may have no environment extension, and what they
        /// are good for. A universal one, `Apple Push Services: …`, always has its extensions.
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
