import TestClients
import Testing

@testable import MockAPNSTransport

@Suite struct ES256Tests {
    static let message = Array("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJERUYxMjNHSElKIn0".utf8)
    static let signing = try! ES256SigningKey.generate()
    static let verifying = try! signing.publicKey

    static func der(_ raw: [UInt8]) -> [UInt8] { ECDSASignature.der(fromRaw: raw.span) }

    static func form(
        _ signature: [UInt8], of message: [UInt8], by key: ES256PublicKey = verifying
    ) -> ES256PublicKey.SignatureForm? {
        key.verify(signature: signature.span, of: message.span)
    }

    @Test func signaturesVerifyInBothForms() throws {
        for count in [0, 1, 63, 64, 65, 5000] {
            let message = [UInt8](repeating: 7, count: count)
            let raw = try Self.signing.sign(message.span)
            #expect(raw.count == 64)
            #expect(Self.form(raw, of: message) == .raw)
            #expect(Self.form(Self.der(raw), of: message) == .der)
        }
    }

    /// Made by `openssl genpkey -aes256` and `openssl ec -aes256` with the password "secret".
    @Test(arguments: [
        """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjR35syViT2lwICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEDfFlqc5kSw2M4qz30AsIkoEgZB5
        DU92tyXHrcfyW4nv5zknU1ac8SQ1wlr4BWRvE5DIKShVOAvrztsZzn3Ec4VOgBwj
        EIyxnAjfKPXWhVu8fuN2hy3UzD7ilInCqdnXogalrPYiyzc+DPXB57CcHfnw1KF3
        Jp0UQxAELfx5OUaDUZvXrEnnr5CDxJYW539c4+hIvQ/sm63t/0JTtwzPWmV5Hdk=
        -----END ENCRYPTED PRIVATE KEY-----
        """,
        """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-256-CBC,9BF869D7FECAA349C0AA8F8D037F3C8C

        CtM+Y/jq1JBMEn5cwOkQsXDeFz8pjQcOqliRnQR9zkLo/+X9x2y56sjWUQFPJtwl
        y0aq0bkNgV9QV9A+0NsyoeZ4mxVKeVEBpwjLXQm2yMeS24vQAVrnRmph+iUVVuaW
        EnQ9VIfxEX2a7u17/USrP4ePjecA19kuk5yk0SG2Jvc=
        -----END EC PRIVATE KEY-----
        """,
    ])
    func anEncryptedKeySaysSo(pem: String) throws {
        let bytes = Array(pem.utf8)
        let certificate = TestIdentity.server.certificatePEM
        let readers: [() throws -> Void] = [
            { _ = try ES256SigningKey(pem: bytes) }, { _ = try ES256PublicKey(pem: bytes) },
            { _ = try CertificateFacts(pem: certificate).matches(privateKey: bytes) },
            { _ = try ServerIdentity(certificateChain: certificate, privateKey: bytes) },
            { _ = try TLSContext(certificateChain: certificate, privateKey: bytes) },
            { _ = try CertificateAuthority.make(now: 0, privateKeyPEM: bytes) },
        ]
        for read in readers {
            let error = #expect(throws: OpenSSLError.self) { try read() }
            #expect(error?.description.contains("is encrypted with a password") == true, "\(error as Any)")
        }
    }

    @Test func everyChangedByteIsRefused() throws {
        let raw = try Self.signing.sign(Self.message.span)
        for signature in [raw, Self.der(raw)] {
            var accepted: [String] = []
            for index in signature.indices {
                for change in UInt8(1)...255 {
                    var changed = signature
                    changed[index] ^= change
                    if Self.form(changed, of: Self.message) != nil {
                        accepted.append("byte \(index) xor \(change)")
                    }
                }
            }
            #expect(accepted == [])
            #expect(Self.form(signature, of: Self.message) != nil)
        }
    }

    @Test func everyOtherLengthIsRefused() throws {
        let raw = try Self.signing.sign(Self.message.span)
        for signature in [raw, Self.der(raw)] {
            for count in 0..<signature.count {
                let short = Array(signature.prefix(count))
                #expect(Self.form(short, of: Self.message) == nil)
            }
            for extra in [[0], [0, 0], [UInt8](repeating: 0, count: 5000)] as [[UInt8]] {
                let long = signature + extra
                #expect(Self.form(long, of: Self.message) == nil)
                let shifted = extra + signature
                #expect(Self.form(shifted, of: Self.message) == nil)
            }
        }
    }

    @Test func derWithNeedlessBytesIsRefused() throws {
        let raw = try Self.signing.sign(Self.message.span)
        let der = Self.der(raw)
        let firstCount = Int(der[3])
        let padded = [0x30, der[1] + 1, 0x02, der[3] + 1, 0] + der[4...]
        let longLength = [0x30, 0x81] + der[1...]
        let indefinite = [0x30, 0x80] + der[2...] + [0, 0]
        let third = [0x30, der[1] + 3] + der[2...] + [2, 1, 1]
        let onlyOne = [0x30, UInt8(firstCount + 2)] + der[2..<(4 + firstCount)]
        for bad in [padded, longLength, indefinite, third, onlyOne] {
            #expect(Self.form(bad, of: Self.message) == nil)
        }
    }

    @Test func numbersOutOfRangeAreRefused() {
        let zeros = [UInt8](repeating: 0, count: 64)
        let ones = [UInt8](repeating: 0xFF, count: 64)
        for bad in [zeros, ones, Self.der(zeros), Self.der(ones)] {
            #expect(Self.form(bad, of: Self.message) == nil)
        }
    }

    @Test func otherMessageAndOtherKeyAreRefused() throws {
        let raw = try Self.signing.sign(Self.message.span)
        let other = try ES256SigningKey.generate().publicKey
        #expect(Self.form(raw, of: Self.message, by: other) == nil)
        let longer = Self.message + [0]
        #expect(Self.form(raw, of: longer) == nil)
    }

    @Test func derOfRawIsShortestAndPositive() {
        var raw = [UInt8](repeating: 0, count: 64)
        raw[31] = 1
        raw[32] = 0x80
        let expected: [UInt8] = [0x30, 38, 2, 1, 1, 2, 33, 0, 0x80] + [UInt8](repeating: 0, count: 31)
        #expect(Self.der(raw) == expected)
        #expect(ECDSASignature.raw(fromDER: expected) == raw)
    }

    // MARK: PEM. The keys below were made with the openssl command for these tests and are used nowhere else.

    @Test func knownKeysAndSignaturesOfOpenSSL() throws {
        let message = Array("header.claims".utf8)
        for pem in [Samples.pkcs8, Samples.sec1, Samples.sec1WithParameters] {
            let key = try ES256SigningKey(pem: Array(pem.utf8))
            #expect(try String(decoding: key.publicKey.pem, as: UTF8.self) == Samples.spki)
            #expect(try String(decoding: key.pem, as: UTF8.self) == Samples.pkcs8)
        }
        for pem in [Samples.pkcs8, Samples.sec1, Samples.sec1WithParameters, Samples.spki] {
            let key = try ES256PublicKey(pem: Array(pem.utf8))
            #expect(Self.form(Samples.signature, of: message, by: key) == .der)
        }
    }

    @Test func madeKeysAreReadAgain() throws {
        let pem = try Self.signing.pem
        #expect(String(decoding: pem, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let again = try ES256SigningKey(pem: pem)
        let raw = try again.sign(Self.message.span)
        #expect(Self.form(raw, of: Self.message) == .raw)
        // A text without a final newline, and one with Windows line ends.
        _ = try ES256SigningKey(pem: pem.dropLast())
        _ = try ES256SigningKey(pem: pem.flatMap { $0 == UInt8(ascii: "\n") ? [13, 10] : [$0] })
    }

    @Test(arguments: [
        ("on the curve secp384r1, not", Samples.p384),
        ("RSA, not an elliptic-curve key", Samples.rsa),
        ("ED25519, not an elliptic-curve key", Samples.ed25519),
    ])
    func otherKeysAreRefusedByName(name: String, pem: String) {
        let reason = "the key is \(name) on P-256 (prime256v1), which ES256 needs"
        #expect(throws: OpenSSLError(reason)) { try ES256SigningKey(pem: Array(pem.utf8)) }
        #expect(throws: OpenSSLError(reason)) { try ES256PublicKey(pem: Array(pem.utf8)) }
    }

    @Test(arguments: ["", "-----BEGIN PRIVATE KEY-----\n", Samples.spki, Samples.encrypted, "not a key\n"])
    func textsWithoutPrivateKeyAreRefused(pem: String) {
        #expect(throws: OpenSSLError.self) { try ES256SigningKey(pem: Array(pem.utf8)) }
    }

    @Test func damagedKeysAreNeverMistaken() throws {
        let pem = Array(Samples.pkcs8.utf8)
        var random = SeededRandom(state: 4)
        for _ in 0..<500 {
            var damaged = pem
            damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            if let key = try? ES256SigningKey(pem: damaged) { _ = try? key.sign(Self.message.span) }
        }
    }

    @Test func oneKeyServesManyThreads() async throws {
        let raw = try Self.signing.sign(Self.message.span)
        let right = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<100).count { round in
                        var signature = raw
                        if (task + round) % 2 == 0 { signature[5] ^= 1 }
                        let form = Self.form(signature, of: Self.message)
                        guard let own = try? Self.signing.sign(Self.message.span) else { return false }
                        return (form == .raw) == ((task + round) % 2 == 1)
                            && Self.form(own, of: Self.message) == .raw
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(right == 800)
    }
}
