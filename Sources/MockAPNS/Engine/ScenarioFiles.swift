import MockAPNSCore
import MockAPNSTransport
import SystemPackage

/// Reads the files named in a scenario: signing keys and authorities of client certificates. Errors include the file
/// name.
struct ScenarioFiles {
    private let scenario: Scenario
    private let folder: FilePath?
    private let certificates: FilePath?

    /// Maximum total size of all authorities in bytes.
    private static let authoritiesLimit = 1 << 20

    init(_ loaded: LoadedScenario, certificates: FilePath?) {
        scenario = loaded.scenario
        folder = loaded.folder
        self.certificates = certificates
    }

    /// Returns the keys of the scenario's teams, by key id.
    ///
    /// - Parameter identity: the default identity; it gets the first key, team and topic of the scenario.
    func signingKeys(replacing identity: inout Identity) throws(StartError) -> [String: ES256PublicKey] {
        var keys: [String: ES256PublicKey] = [:]
        for (index, team) in scenario.authentication.teams.enumerated() {
            for (keyIndex, key) in team.keys.enumerated() {
                let source = scenario.keySources[checked: index]?[checked: keyIndex] ?? .folder
                let (pem, name, origin) = try text(of: source, keyID: key.keyID, &identity)
                do { keys[key.keyID] = try ES256PublicKey(pem: pem) } catch {
                    throw .malformed("\(name):1:1: this is not a P-256 key in PEM (\(error)).")
                }
                if index == 0, keyIndex == 0 {
                    (identity.keyID, identity.teamID) = (key.keyID, team.teamID)
                    (identity.signingKey, identity.signingKeyOrigin) = (pem, origin)
                    identity.topic = (key.topics ?? team.topics)?.names.first ?? identity.topic
                }
            }
        }
        return keys
    }

    private func text(
        of source: Scenario.KeySource, keyID: String, _ identity: inout Identity
    ) throws(StartError) -> (pem: [UInt8], name: String, origin: Identity.KeyOrigin) {
        switch source {
        case .pem(let pem):
            return (Array(pem.utf8), "the key \(keyID) of the scenario", .scenario)
        case .file(let path):
            let file = resolved(path)
            return (try FolderFiles.read(file), file.string, .file(file))
        case .folder:
            let name = "AuthKey_\(keyID).p8"
            guard let certificates else { return (try identity.keyInMemory(keyID), name, .made) }
            return try FolderFiles.locked(certificates) { files throws(StartError) in
                if let pem = try files.read(name) { return (pem, certificates.appending(name).string, .made) }
                let pem = try Identity.generateKey()
                files.write([.init(name: name, bytes: pem, isPrivate: true)])
                return (pem, name, .made)
            }
        }
    }

    /// Returns the additional authorities that may issue client certificates, in PEM.
    func authorities() throws(StartError) -> [UInt8] {
        var all: [UInt8] = []
        for path in scenario.clientAuthorities {
            let file = resolved(path)
            let pem = try FolderFiles.read(file)
            do { _ = try PeerCertificate(pem: pem) } catch {
                throw .malformed("\(file):1:1: this is not a certificate in PEM (\(error)).")
            }
            all += pem + [UInt8(ascii: "\n")]
            guard all.count <= Self.authoritiesLimit else {
                throw .malformed("\(file):1:1: the authorities of the scenario have more than 1 MiB in total.")
            }
        }
        return all
    }

    /// Returns the serial numbers of certificates that are revoked even without a scenario: the one in
    /// `client-revoked.pem`, which exists to be refused.
    func revokedSerials() throws(StartError) -> Set<String> {
        guard let certificates, let pem = try FolderFiles(certificates).read("client-revoked.pem") else { return [] }
        do { return [try PeerCertificate(pem: pem).serial] } catch {
            throw .malformed(
                "\(certificates.appending("client-revoked.pem")):1:1: this is not a certificate in PEM (\(error)); remove it."
            )
        }
    }

    private func resolved(_ path: String) -> FilePath {
        let path = FilePath(path)
        guard let folder, path.isRelative else { return path }
        return folder.pushing(path)
    }
}

extension Identity {
    /// Returns the key with this id, creating it on first use.
    fileprivate mutating func keyInMemory(_ keyID: String) throws(StartError) -> [UInt8] {
        if keyID == self.keyID { return signingKey }
        if let key = furtherKeys[keyID] { return key }
        let key = try Self.generateKey()
        furtherKeys[keyID] = key
        return key
    }

    fileprivate static func generateKey() throws(StartError) -> [UInt8] {
        do { return try ES256SigningKey.generate().pem } catch {
            throw .unavailable("A signing key cannot be created: \(error).")
        }
    }
}

extension Array {
    fileprivate subscript(checked index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
