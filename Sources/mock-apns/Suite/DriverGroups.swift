import MockAPNS

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The process groups of the drivers that run, so that none outlives the suite.
final class DriverGroups: Sendable {
    /// The signal by which they are killed.
    static let killing = SIGKILL

    private let groups = Guarded<(running: Set<pid_t>, late: Set<pid_t>, isOver: Bool)>(([], [], false))

    /// A driver runs; its process is the leader of its group.
    func begin(_ group: pid_t) {
        groups.withLock { groups in
            if groups.isOver { _ = Self.kill(-group, Self.killing) }
            groups.running.insert(group)
        }
    }

    /// A driver has ended.
    ///
    /// - Returns: whether it had to be killed by ``end(_:within:)``.
    func end(_ group: pid_t) -> Bool {
        groups.withLock { groups in
            groups.running.remove(group)
            return groups.late.remove(group) != nil
        }
    }

    /// Kills a driver that has not ended by itself within a time.
    func end(_ group: pid_t, within timeout: Duration) async {
        guard (try? await Task.sleep(for: timeout)) != nil else { return }
        groups.withLock { groups in
            guard groups.running.contains(group) else { return }
            groups.late.insert(group)
            _ = Self.kill(-group, Self.killing)
        }
    }

    /// Ends a driver and what it has started, if it still runs.
    func kill(_ group: pid_t) {
        groups.withLock { groups in
            if groups.running.contains(group) { _ = Self.kill(-group, Self.killing) }
        }
    }

    /// Ends all drivers, those to come as well.
    func killAll() {
        groups.withLock { groups in
            groups.isOver = true
            for group in groups.running { _ = Self.kill(-group, Self.killing) }
        }
    }

    private static func kill(_ process: pid_t, _ signal: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.kill(process, signal)
        #elseif canImport(Musl)
        Musl.kill(process, signal)
        #else
        Darwin.kill(process, signal)
        #endif
    }
}
