import MockAPNSCore
import MockAPNSTransport
import SystemPackage

/// The authority of a folder: its certificate, and its key when there is one.
///
/// A folder that holds `ca.pem` and good leaf certificates serves without `ca.key`; only issuing needs the key.
struct AuthorityFiles {
    let certificate: [UInt8]
    /// Seconds since 1970 up to which it is valid.
    let notAfter: Int64
    private let authority: CertificateAuthority?
    private let path: FilePath

    /// Reads the authority, and makes a missing one; with the key, where that is there, so that what it issued stays good.
    ///
    /// - Parameter renew: whether one that has ended is made again too.
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
                    "\(path.appending("ca.pem")):1:1: the authority ended on \(Self.day(notAfter)), so every client refuses its certificates; `mock-apns certs --renew --certs \(path)` makes new ones. Providers have to trust the new ca.pem then."
                )
            }
        }
        let made: CertificateAuthority
        do { made = try CertificateAuthority.make(now: now, privateKeyPEM: key) } catch {
            throw .malformed(
                "\(path.appending("ca.key")):1:1: no ca.pem can be made with this key (\(error)); remove it.")
        }
        try files.write(
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
                "\(path.appending("ca.pem"))\(key == nil ? " is" : " and ca.key are") no authority (\(error)); remove the folder's files to have them made again."
            )
        }
    }

    /// The authority's key, where there is one.
    var privateKey: [UInt8]? { authority?.privateKeyPEM }

    /// Whether a certificate is this authority's; without the key, its own word has to do.
    func issued(_ facts: CertificateFacts) -> Bool { authority.map(facts.isIssued(by:)) ?? true }

    /// A line for people when little time is left.
    func endsSoon(now: Int64) -> String? {
        guard notAfter - now < CertificateFolder.margin else { return nil }
        return
            "The authority in \(path.appending("ca.pem")) ends on \(Self.day(notAfter)), and every certificate with it; to have another one before, remove ca.pem and run `mock-apns certs --renew --certs \(path)`. Providers have to trust the new ca.pem then."
    }

    /// The authority, to issue with.
    func signer(in folder: FilePath) throws(StartError) -> CertificateAuthority {
        if let authority { return authority }
        throw .unavailable(
            "A certificate in \(folder) has to be made, but ca.key is missing; put it back, or remove ca.pem and run `mock-apns certs --renew --certs \(folder)` to have a new authority made."
        )
    }

    private static func day(_ seconds: Int64) -> Substring { Timestamp(seconds: seconds).text.prefix(10) }
}
