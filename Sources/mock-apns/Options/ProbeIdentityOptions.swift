import ArgumentParser
import MockAPNS
import MockAPNSProbe
import MockAPNSTransport
import SystemPackage

/// The options of the probe that say who it is and whom it pushes to.
struct ProbeIdentityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The certificate authorities to trust (PEM). (default: those of the system)",
            valueName: "file"), completion: .file(), transform: NonemptyOption.read)
    var ca: String?

    @Option(
        name: .customLong("manage-url"),
        help: ArgumentHelp(
            "Where the server manages channels, for the group broadcast. (default: --url)",
            valueName: "https://host:port"))
    var managementURL: String?

    @Option(
        help: ArgumentHelp("Sign provider tokens with this private key (PEM).", valueName: "file"),
        completion: .file(), transform: NonemptyOption.read)
    var key: String?

    @Option(help: ArgumentHelp("The key's id.", valueName: "id"), transform: NonemptyOption.read)
    var keyID: String?

    @Option(help: ArgumentHelp("The team's id.", valueName: "id"), transform: NonemptyOption.read)
    var teamID: String?

    @Option(help: ArgumentHelp("The topic, an app's bundle id.", valueName: "topic"))
    var topic: String?

    @Option(
        help: ArgumentHelp("A client certificate, followed by its chain (PEM).", valueName: "file"),
        completion: .file(), transform: NonemptyOption.read)
    var certificate: String?

    @Option(
        help: ArgumentHelp("The private key of --certificate (PEM).", valueName: "file"),
        completion: .file(), transform: NonemptyOption.read)
    var certificateKey: String?

    @Option(
        name: .customLong("device-token"), parsing: .singleValue,
        help: ArgumentHelp(
            "The token of a device that has the app; repeatable, and used in turn. Some probes need one of another kind: \(Self.kinds).",
            valueName: "token or kind=token"), transform: DeviceTokenOption.init)
    var deviceTokens: [DeviceTokenOption] = []

    private static var kinds: String {
        DeviceKind.allCases.filter { $0 != .registered && $0 != .any }.map { "\($0.rawValue)=TOKEN" }
            .joined(separator: ", ")
    }

    /// Checks what ArgumentParser cannot.
    func validate(hasURL: Bool) throws {
        let all: [(String, Bool)] = [
            ("--ca", ca != nil), ("--manage-url", managementURL != nil), ("--key", key != nil),
            ("--key-id", keyID != nil), ("--team-id", teamID != nil),
            ("--topic", topic != nil), ("--certificate", certificate != nil),
            ("--certificate-key", certificateKey != nil), ("--device-token", !deviceTokens.isEmpty),
        ]
        if !hasURL, let option = all.first(where: \.1) {
            throw ValidationError("\(option.0) is for a server named with --url; the probe's own server needs none.")
        }
        if let managementURL, ProbeURL(managementURL) == nil {
            throw ValidationError("--manage-url is \"\(managementURL)\"; it must be https://HOST:PORT.")
        }
        let ofKey = [key, keyID, teamID]
        if ofKey.contains(where: { $0 != nil }), ofKey.contains(where: { $0 == nil }) {
            throw ValidationError("--key, --key-id and --team-id go together: a provider token needs all three.")
        }
        if (certificate == nil) != (certificateKey == nil) {
            throw ValidationError("--certificate and --certificate-key go together.")
        }
        if (key != nil || certificate != nil) && topic == nil {
            throw ValidationError(
                "--topic is missing; it is the bundle id of the app whose key or certificate is used.")
        }
    }

    /// Returns the server with what these options give for it.
    func target(host: String, port: Int) throws -> ProbeTarget {
        var target = ProbeTarget(
            host: host, port: port,
            authorities: try ca.map { file throws(StartError) in try CertificateFolder.read(FilePath(file)) })
        target.managementAddress = managementURL.flatMap(ProbeURL.init).map { .init(host: $0.host, port: $0.port) }
        if let ca, let authorities = target.authorities {
            do { _ = try TLSClientContext(authorities: authorities) } catch {
                throw StartError.malformed(
                    "The authorities \(ca) cannot be read: \(error). They must be certificates in PEM.")
            }
        }
        if let topic { target.topic = topic }
        if let key, let keyID, let teamID {
            do {
                let key = try ES256SigningKey(pem: try CertificateFolder.read(FilePath(key)))
                target.keys[.provider] = .init(key: key, keyID: keyID, teamID: teamID)
            } catch let error as OpenSSLError {
                throw StartError.malformed(
                    "The signing key \(key) cannot be read: \(error). It must be a P-256 private key in PEM.")
            }
        }
        if let certificate, let certificateKey {
            let chain = try CertificateFolder.read(FilePath(certificate))
            let privateKey = try CertificateFolder.read(FilePath(certificateKey))
            do { _ = try TLSClientContext(authorities: nil, certificate: (chain, privateKey)) } catch {
                throw StartError.malformed(
                    "The certificate \(certificate) cannot be used with the key \(certificateKey): \(error). Both must be PEM, and belong together."
                )
            }
            target.certificates[.provider] = .init(chain: chain, privateKey: privateKey)
        }
        for option in deviceTokens { target.devices[option.kind, default: []].append(option.token) }
        return target
    }
}

/// `TOKEN` or `KIND=TOKEN`.
struct DeviceTokenOption: Sendable {
    let kind: DeviceKind
    let token: String

    init(_ text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let token = parts.last, !token.isEmpty, token.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let kind = parts.count == 1 ? .registered : DeviceKind(rawValue: parts[0]), kind != .any
        else {
            throw ValidationError(
                "a device token is hexadecimal digits, or a kind and these, such as unregistered=00fc13…")
        }
        self.kind = kind
        self.token = token.lowercased()
    }
}

/// The address of a server: `https://HOST:PORT`.
struct ProbeURL {
    /// Without brackets.
    let host: String
    let port: Int

    init?(_ text: String) {
        guard text.hasPrefix("https://") else { return nil }
        var rest = text.dropFirst("https://".count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.isEmpty, !rest.contains(where: { "/?#@ ".contains($0) }) else { return nil }
        var host = rest
        var port: Substring?
        // The colons of an IPv6 address are in brackets.
        if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
            host = rest[..<colon]
            port = rest[rest.index(after: colon)...]
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, let number = UInt16(port ?? "443"), number > 0 else { return nil }
        self.host = String(host)
        self.port = Int(number)
    }
}
