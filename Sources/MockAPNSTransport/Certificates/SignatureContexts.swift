import CMockOpenSSL
import Synchronization

/// Prepared `EVP_PKEY_CTX`s of one key for one purpose. A context serves many calls, but only one thread at a time, so
/// contexts are lent out and returned; there are as many as threads at the same time.
@safe final class SignatureContexts: Sendable {
    enum Purpose { case signing, verifying }

    @safe private struct Context: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private let key: P256Key
    private let purpose: Purpose
    private let idle = Mutex<[Context]>([])
    /// Shows the ordering of the lock to ThreadSanitizer, which cannot see its slow path.
    private let turn = Atomic(0)

    /// Fails at once if the key cannot be used for the purpose.
    init(_ key: P256Key, for purpose: Purpose) throws(OpenSSLError) {
        self.key = key
        self.purpose = purpose
        let first = try make()
        withIdle { $0.append(first) }
    }

    deinit {
        idle.withLock { contexts in
            for context in contexts { unsafe EVP_PKEY_CTX_free(context.pointer) }
        }
    }

    /// Lends a context while `body` runs.
    func lend<Result>(_ body: (OpaquePointer) -> Result) throws(OpenSSLError) -> Result {
        let context = if let lent = withIdle({ $0.popLast() }) { lent } else { try make() }
        defer { withIdle { $0.append(context) } }
        ERR_clear_error()
        return unsafe body(context.pointer)
    }

    private func withIdle<Result: Sendable>(_ body: (inout [Context]) -> Result) -> Result {
        idle.withLock { contexts in
            _ = turn.load(ordering: .acquiring)
            defer { turn.store(0, ordering: .releasing) }
            return body(&contexts)
        }
    }

    private func make() throws(OpenSSLError) -> Context {
        ERR_clear_error()
        let context = unsafe try made(EVP_PKEY_CTX_new(key.pointer, nil), "preparing a key")
        do throws(OpenSSLError) {
            switch purpose {
            case .signing: unsafe try succeeded(EVP_PKEY_sign_init(context), "preparing to sign")
            case .verifying: unsafe try succeeded(EVP_PKEY_verify_init(context), "preparing to verify")
            }
            unsafe try succeeded(EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()), "choosing SHA-256")
        } catch {
            unsafe EVP_PKEY_CTX_free(context)
            throw error
        }
        return unsafe Context(pointer: context)
    }
}

/// The SHA-256 digest of a message (FIPS 180-4).
enum SHA256 {
    /// Returns the 32 bytes of the digest.
    static func digest(_ message: Span<UInt8>) -> [UInt8] {
        [UInt8](capacity: 32) { space in
            unsafe message.withUnsafeBytes { bytes in
                unsafe space.withUnsafeMutableBufferPointer { buffer, initialized in
                    unsafe SHA256Function.shared.digest(bytes, into: buffer)
                    initialized = 32
                }
            }
        }
    }
}

/// The algorithm, fetched once: otherwise OpenSSL 3 would look it up by name on each call.
@safe private final class SHA256Function: @unchecked Sendable {
    static let shared = SHA256Function()
    private let pointer: OpaquePointer?

    private init() {
        unsafe pointer = EVP_MD_fetch(nil, "SHA256", nil)
    }

    func digest(_ message: UnsafeRawBufferPointer, into buffer: UnsafeMutableBufferPointer<UInt8>) {
        let status = unsafe EVP_Digest(message.baseAddress, message.count, buffer.baseAddress, nil, pointer, nil)
        precondition(status == 1, "OpenSSL has no SHA-256")
    }
}
