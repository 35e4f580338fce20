import MockAPNSTransport

/// The server's certificate with an RSA key, for clients that cannot use the one on P-256. It is read or created when
/// the first such client connects, and on another thread, because generating the key takes a tenth of a second or more.
///
/// If that fails, it is tried again for a later client.
final class RSAServerCertificate: Sendable {
    /// The certificate as text, and ready for use.
    struct Made: Sendable {
        let pair: Identity.Pair
        let identity: ServerIdentity
    }

    private enum State: Sendable {
        case unused
        /// With what to do when it is settled.
        case pending([@Sendable () -> Void])
        case ready(Made)
        /// With the time from which it may be tried again.
        case failed(OpenSSLError, until: ContinuousClock.Instant)
    }

    private let state = Guarded(State.unused)
    private let make: @Sendable ((StartError) -> Void) throws(StartError) -> Identity.Pair
    /// How long a failure is reported before another attempt.
    private let pause: Duration

    /// - Parameters:
    ///   - pause: how long a failure is reported before another attempt.
    ///   - make: reads or creates it; gets a function for warnings.
    init(
        pause: Duration = .seconds(1),
        _ make: @escaping @Sendable (_ warn: (StartError) -> Void) throws(StartError) -> Identity.Pair
    ) {
        (self.pause, self.make) = (pause, make)
    }

    /// Returns the certificate or why there is none; `nil` if that is not known yet, and then starts finding out.
    func settled(warn: @escaping @Sendable (StartError) -> Void) -> Result<Made, OpenSSLError>? {
        let (result, isFirst) = state.withLock { state -> (Result<Made, OpenSSLError>?, Bool) in
            switch state {
            case .ready(let made): return (.success(made), false)
            case .failed(let error, let end) where .now < end: return (.failure(error), false)
            case .pending: return (nil, false)
            case .unused, .failed:
                state = .pending([])
                return (nil, true)
            }
        }
        if isFirst {
            Task {
                // It is not canceled, and so does not throw.
                let created = try? await BackgroundWork.run(.files) { [self] _ in create(warn) }
                settle(created ?? .failure(OpenSSLError("creating a certificate was interrupted")))
            }
        }
        return result
    }

    /// Runs the body as soon as ``settled(warn:)``, which was called, has a result.
    func whenSettled(_ body: @escaping @Sendable () -> Void) {
        let isSettled = state.withLock { state in
            guard case .pending(let waiting) = state else { return true }
            state = .pending(waiting + [body])
            return false
        }
        if isSettled { body() }
    }

    private func create(_ warn: (StartError) -> Void) -> Result<Made, OpenSSLError> {
        do {
            let pair = try make(warn)
            let identity = try ServerIdentity(certificateChain: pair.certificate, privateKey: pair.privateKey)
            return .success(Made(pair: pair, identity: identity))
        } catch {
            return .failure(
                error as? OpenSSLError
                    ?? OpenSSLError("the client takes only RSA certificates, and there is none: \(error)"))
        }
    }

    private func settle(_ result: Result<Made, OpenSSLError>) {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            let waiting = if case .pending(let waiting) = state { waiting } else { [] as [@Sendable () -> Void] }
            state =
                switch result {
                case .success(let made): .ready(made)
                case .failure(let error): .failed(error, until: .now + pause)
                }
            return waiting
        }
        for body in waiting { body() }
    }
}
