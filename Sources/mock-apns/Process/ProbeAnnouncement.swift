import ArgumentParser
import MockAPNSCore
import MockAPNSProbe

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The announcement of the probe before it pushes to a server that is not on this machine.
struct ProbeAnnouncement {
    private let probes: [MockAPNSProbe.Probe]
    private let target: ProbeTarget

    /// - Parameter probes: those that were selected; what cannot be run is not counted.
    init(_ probes: [MockAPNSProbe.Probe], _ target: ProbeTarget) {
        self.probes = probes.filter { ProbeRun.missing(for: $0, target) == nil }
        self.target = target
    }

    var text: String {
        let channels = probes.reduce(0) { $0 + $1.channelsMade } + sharedChannels
        let requests = probes.reduce(0) { $0 + $1.requests } + 2 * channels
        let own = probes.count { $0.connection != nil }
        let anonymous = probes.count { ProbeRun.isAnonymous($0, target) }
        let connections = own + (anonymous > 0 ? 1 : 0) + (own + anonymous < probes.count ? 1 : 0)
        let minutes = (Pace.seconds(connections: connections, pushes: requests) + 59) / 60
        let time = minutes == 1 ? "a minute" : "\(minutes) minutes"
        var lines = [
            "mock-apns: \(target.authority) is not on this machine. \(Self.count(requests, "request")) on \(Self.count(connections, "connection")) will take about \(time)."
        ]
        let groups = ProbeGroup.allCases.filter { group in probes.contains { $0.group == group } }
        lines.append("  Groups: \(groups.map(\.rawValue).joined(separator: ", ")).")
        let others = ProbeGroup.allCases.filter { $0.isOnlyOnRequest && !groups.contains($0) }
        if !others.isEmpty {
            lines.append("  Left out, unless named with --only: \(others.map(\.rawValue).joined(separator: ", ")).")
        }
        for kind in DeviceKind.allCases {
            guard let tokens = target.devices[kind], !tokens.isEmpty else { continue }
            var counts: [(pushType: String, count: Int)] = []
            for (pushType, count) in probes.flatMap({ $0.pushes(to: kind) }) {
                if let index = counts.firstIndex(where: { $0.pushType == pushType }) {
                    counts[index].count += count
                } else {
                    counts.append((pushType, count))
                }
            }
            guard !counts.isEmpty else { continue }
            let list = counts.map { "\($0.count) \($0.pushType)" }.joined(separator: ", ")
            let names = tokens.map { "\($0.prefix(4))…\($0.suffix(4))" }.joined(separator: " and ")
            let who = tokens.count > 1 ? "the devices \(names), in turn" : "the device \(names)"
            lines.append("  To \(who): \(list). Not all are delivered: many are meant to be refused.")
        }
        if channels > 0 {
            lines.append(
                "  About \(Self.count(channels, "channel")) of \(target.topic) will be made, published to, and deleted."
            )
        }
        return PrintableText.text(lines)
    }

    private static func count(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

    /// The number of channels that probes share.
    private var sharedChannels: Int { Set(probes.flatMap(\.channels)).subtracting([.fresh]).count }

    /// Says what will be sent, and asks whether to continue unless that is confirmed.
    ///
    /// - Throws: if the run is not to continue.
    func confirm(isConfirmed: Bool) throws {
        Messages.write(block: text)
        if isConfirmed { return }
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw ValidationError("There is no terminal to ask on; pass --yes to continue.")
        }
        Messages.write("Continue? [y/N]")
        guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else { throw ExitCode(1) }
    }
}
