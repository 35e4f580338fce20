import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The terminal that controls this process, wherever its input and output go.
struct Terminal: Sendable {
    private let descriptor: FileDescriptor

    /// `nil` without one, as for a daemon or after the terminal was closed.
    init?() {
        do {
            descriptor = try FileDescriptor.open(
                FilePath("/dev/tty"), .readWrite, options: [.closeOnExec, .nonBlocking])
        } catch { return nil }
    }

    /// Whether there is one now.
    static var isThere: Bool {
        guard let terminal = Terminal() else { return false }
        try? terminal.descriptor.close()
        return true
    }

    /// The process group that has the terminal.
    var foreground: pid_t { tcgetpgrp(descriptor.rawValue) }

    /// Whether the process group of this process is the one that has it.
    var isOurs: Bool { foreground == getpgrp() }

    /// Lets a process group of this session have the terminal. A process in the background has to ignore SIGTTOU for that.
    func give(to group: pid_t) -> Bool { tcsetpgrp(descriptor.rawValue, group) == 0 }

    /// Whether the system would not let Control-Z stop this process, because there is no shell that would continue it: it
    /// was started as the leader of its session, or who started it is gone.
    static var isWithoutShell: Bool {
        let session = getsid(0)
        return getpgrp() == session || getsid(getppid()) != session
    }
}
