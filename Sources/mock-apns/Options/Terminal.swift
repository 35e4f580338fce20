import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The controlling terminal of this process, wherever its input and output go.
struct Terminal: Sendable {
    private let descriptor: FileDescriptor

    /// Returns `nil` if there is none, as for a daemon or after the terminal was closed.
    init?() {
        do {
            descriptor = try FileDescriptor.open(
                FilePath("/dev/tty"), .readWrite, options: [.closeOnExec, .nonBlocking])
        } catch { return nil }
    }

    /// Whether there is a controlling terminal now.
    static var isThere: Bool {
        guard let terminal = Terminal() else { return false }
        try? terminal.descriptor.close()
        return true
    }

    /// The foreground process group of the terminal.
    var foreground: pid_t { tcgetpgrp(descriptor.rawValue) }

    /// Whether this process belongs to the foreground group.
    var isOurs: Bool { foreground == getpgrp() }

    /// Makes a process group of this session the foreground group. A background process has to ignore SIGTTOU to do
    /// this.
    func give(to group: pid_t) -> Bool { tcsetpgrp(descriptor.rawValue, group) == 0 }

    /// Whether the system would not let Control-Z stop this process because no shell would continue it: it was started
    /// as the leader of its session, or the process that started it is gone.
    static var isWithoutShell: Bool {
        let session = getsid(0)
        return getpgrp() == session || getsid(getppid()) != session
    }
}
