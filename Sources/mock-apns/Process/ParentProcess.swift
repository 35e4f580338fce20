#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The process that started this one.
struct ParentProcess: Sendable {
    /// The parent when this process started; `main` reads it first of all.
    static let atStart = ParentProcess()

    private let identifier: pid_t
    private let wasGone: Bool

    private init() {
        identifier = getppid()
        // A process is born into the session of its parent, and only a process that then starts a session leads one.
        // A parent in another session has adopted this process. It may be the first process of a container, or of the
        // machine, which are also ordinary parents, so its number says nothing.
        let session = getsid(0)
        let parentSession = getsid(identifier)
        wasGone = session != getpid() && parentSession != -1 && parentSession != session
    }

    /// Whether it has ended: the system has given this process another parent.
    var isGone: Bool { wasGone || getppid() != identifier }

    /// Waits until it is gone.
    ///
    /// It looks five times a second: only Darwin reports the end of a parent, and the signal that Linux has for it comes
    /// when the thread ends that started this process.
    func untilGone() async throws {
        while !isGone { try await Task.sleep(for: .milliseconds(200), tolerance: .milliseconds(50)) }
    }
}
