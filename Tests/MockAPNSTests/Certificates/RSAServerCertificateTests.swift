import MockAPNSCore
import MockAPNSTransport
import Synchronization
import Testing

@testable import MockAPNS

/// The certificate for clients that cannot use P-256, when it cannot be made at first.
@Suite struct RSAServerCertificateTests {
    /// How often it was tried.
    private final class Attempts: Sendable {
        let count = Atomic(0)
    }

    /// One that cannot be made at the first attempt.
    private static func certificate(pause: Duration, _ attempts: Attempts) -> RSAServerCertificate {
        RSAServerCertificate(pause: pause) { _ throws(StartError) in
            guard attempts.count.add(1, ordering: .relaxed).newValue > 1 else {
                throw .unavailable("The disk is full.")
            }
            do {
                let authority = try CertificateAuthority.make(now: WallClock.now().seconds)
                let issued = try authority.serverCertificate(
                    names: ["localhost"], key: .rsa, now: WallClock.now().seconds)
                return Identity.Pair(issued, chain: authority)
            } catch { throw .unavailable("\(error)") }
        }
    }

    /// Waits until an attempt has ended.
    private static func attempt(_ certificate: RSAServerCertificate) async {
        #expect(certificate.settled { _ in } == nil)
        await withCheckedContinuation { continuation in certificate.whenSettled { continuation.resume() } }
    }

    @Test func aFailureIsTriedAgain() async throws {
        let attempts = Attempts()
        let certificate = Self.certificate(pause: .zero, attempts)
        await Self.attempt(certificate)
        await Self.attempt(certificate)
        _ = try #require(certificate.settled { _ in }).get()
        #expect(attempts.count.load(ordering: .relaxed) == 2)
    }

    @Test func aFailureIsToldForAWhile() async throws {
        let attempts = Attempts()
        let certificate = Self.certificate(pause: .seconds(300), attempts)
        await Self.attempt(certificate)
        for _ in 0..<3 {
            guard case .failure(let error) = certificate.settled(warn: { _ in }) else {
                Issue.record("it does not say why there is none")
                return
            }
            #expect(error.description.contains("The disk is full."))
        }
        #expect(attempts.count.load(ordering: .relaxed) == 1)
    }
}
