import MockAPNSCore
import MockAPNSTransport
import SystemPackage

/// The certificate authority of a folder: its certificate and, if present, its key.
///
/// A folder with `ca.pem` and valid leaf certificates works without `ca.key`; only issuing needs the key.
struct AuthorityFiles: Sendable {
    let certificate: [UInt8]
    /// The end of its validity, in seconds since 1970.
    let notAfter: Int64
    private let authority: CertificateAuthority?
    private let path: FilePath

    /// Whether the key is there, so that certificates can be issued.
    var canIssue: Bool { authority != nil }

    /// Reads the authority, and creates a missing one. An existing key is reused, so that certificates it issued stay
    /// valid.
    ///
    /// - Parameter renew: whether an expired authority is replaced too.
    init(_ files: inout FolderFiles, renew: Bool, now: Int64) throws(StartError) {
        path = files.path
        let key = try files.read("ca.key")
        if let certificate = try files.read("ca.pem") {
            let (notAfter, authority) = try Self.read(certificate, key, in: path)
            if notAfter > now {
                (self.certificate, self.notAfter, self.authority) = (certificate, notAfter, authority)
                return
            }
            guard renew else {
                throw .malformed(
                    "\(path.appending("ca.pem")):1:1: the authority expired on \(Self.day(notAfter)), so every client rejects its certificates; `mock-apns certs --renew --certs \(path)` creates new ones. Providers then have to trust the new ca.pem."
                )
            }
        }
        let made: CertificateAuthority
        do { made = try CertificateAuthority.make(now: now, privateKeyPEM: key) } catch {
            throw .malformed(
                "\(path.appending("ca.key")):1:1: ca.pem cannot be created with this key (\(error)); remove it.")
        }
        files.write(
            (key == nil ? [.init(name: "ca.key", bytes: made.privateKeyPEM, isPrivate: true)] : [])
                + [.init(name: "ca.pem", bytes: made.certificatePEM, isPrivate: false)])
        (certificate, notAfter, authority) = (made.certificatePEM, made.notAfter, made)
    }

    private static func read(
        _ certificate: [UInt8], _ key: [UInt8]?, in path: FilePath
    ) throws(StartError) -> (notAfter: Int64, authority: CertificateAuthority?) {
        do {
            let notAfter = try CertificateFacts(pem: certificate).notAfter
            return try (
                notAfter,
                key.map { key throws(OpenSSLError) in
                    try CertificateAuthority(certificatePEM: certificate, privateKeyPEM: key)
                }
            )
        } catch {
            throw .malformed(
                "\(path.appending("ca.pem"))\(key == nil ? " is not" : " and ca.key are not") an authority (\(error)); remove the folder's files to have them recreated."
            )
        }
    }

    /// The authority's private key, if present.
    var privateKey: [UInt8]? { authority?.privateKeyPEM }

    /// Returns whether this authority issued a certificate; without the authority's key, that is assumed.
    func issued(_ facts: CertificateFacts) -> Bool { authority.map(facts.isIssued(by:)) ?? true }

    /// Returns a warning if the authority expires soon.
    func endsSoon(now: Int64) -> String? {
        guard notAfter - now < CertificateFolder.margin else { return nil }
        return
            "The authority in \(path.appending("ca.pem")) ends on \(Self.day(notAfter)), and every certificate with it; to replace it before then, remove ca.pem and run `mock-apns certs --renew --certs \(path)`. Providers then have to trust the new ca.pem."
    }

    /// Returns the authority for issuing certificates.
    func signer(in folder: FilePath) throws(StartError) -> CertificateAuthority {
        if let authority { return authority }
        throw .unavailable(
            "A certificate in \(folder) has to be created, but ca.key is missing; put it back, or remove ca.pem and run `mock-apns certs --renew --certs \(folder)` to have a new authority created."
        )
    }

    private static func day(_ seconds: Int64) -> Substring { Timestamp(seconds: seconds).text.prefix(10) }
}
