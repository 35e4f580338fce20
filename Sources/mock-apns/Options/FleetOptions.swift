import ArgumentParser
import Logging
import MockAPNS
import MockAPNSCore
import MockAPNSFleet
import NIOCore
import NIOPosix

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options of the commands that belong to a fleet.
struct FleetOptions: ParsableArguments {
    /// The name of the environment variable with the engine's address; `--fleet` overrides it.
    private static var variable: String { "MOCK_APNS_FLEET" }

    @Option(
        name: .customLong("fleet"),
        help: ArgumentHelp(
            "The Redis (6.2 or later) or Valkey server that connects the fleet: redis://[USER:PASSWORD@]HOST[:PORT][/DB] or unix:PATH; the variable MOCK_APNS_FLEET keeps a password out of process lists.",
            valueName: "url"))
    var address: String?

    @Option(
        name: .customLong("fleet-name"),
        help: ArgumentHelp(
            "The name of the fleet; give each run its own name. (default: default)", valueName: "name"))
    var name: String?

    /// The name of the fleet.
    var fleetName: String { name ?? "default" }

    func validate() throws {
        if let text {
            do throws(FleetURL.Mistake) { _ = try FleetURL(text) } catch {
                throw ValidationError("\(address == nil ? Self.variable : "--fleet") \(error).")
            }
        }
        if name != nil { try demandEngine(for: "--fleet-name") }
        guard FleetKeys.isName(fleetName) else {
            throw ValidationError(
                "--fleet-name is \"\(fleetName)\"; a name has 1 to 63 letters, digits, dots, hyphens and underscores.")
        }
    }

    private var text: String? {
        let variable = ProcessInfo.processInfo.environment[Self.variable]
        return address ?? (variable?.isEmpty == true ? nil : variable)
    }

    /// The engine's address; `nil` without a fleet.
    var url: FleetURL? { text.flatMap { try? FleetURL($0) } }

    /// Refuses an option that means nothing without a fleet.
    func demandEngine(for option: String) throws {
        guard url == nil else { return }
        throw ValidationError("\(option) is for a fleet; give --fleet URL as well, the address of its engine.")
    }

    /// Makes a link to the engine.
    static func link(to url: FleetURL) -> any FleetLink {
        EngineLink(url, on: MultiThreadedEventLoopGroup.singleton, patience: .seconds(2))
    }
}

/// The options of a server that is a replica of a fleet.
struct ReplicaOptions: ParsableArguments {
    @OptionGroup var fleet: FleetOptions

    @Option(
        help: ArgumentHelp(
            "The name of this replica, which no other may have. (default: the host name and four hexadecimal digits)",
            valueName: "name"))
    var replica: String?

    @Option(
        help: ArgumentHelp(
            "How long a record may wait before it is shipped, from 1ms to 10s. (default: 20ms)",
            valueName: "duration"),
        transform: Self.delay)
    var fleetDelay: Int?

    private static func delay(_ text: String) throws -> Int {
        guard let milliseconds = DurationText.milliseconds(text), 1...10_000 ~= milliseconds else {
            let advice =
                DurationText.milliseconds(text) == nil ? DurationOption.correction(of: text) : ", such as 500ms"
            throw ValidationError("it is a duration from 1ms to 10s\(advice).")
        }
        return Int(milliseconds)
    }

    func validate() throws {
        if replica != nil { try fleet.demandEngine(for: "--replica") }
        if fleetDelay != nil { try fleet.demandEngine(for: "--fleet-delay") }
        if let replica, !FleetKeys.isName(replica) {
            throw ValidationError(
                "--replica is \"\(replica)\"; a name has 1 to 63 letters, digits, dots, hyphens and underscores.")
        }
    }

    /// Returns how the server takes part in its fleet; `nil` without one.
    func options() -> FleetReplica.Options? {
        guard fleet.url != nil else { return nil }
        return FleetReplica.Options(
            fleet: fleet.fleetName, name: replica ?? Self.defaultName(), delay: fleetDelay ?? 20)
    }

    /// Says for people which fleet a server is part of, and as what.
    func inShort(of membership: FleetReplica.Options) -> String {
        "\(membership.fleet) at \(fleet.url?.shown ?? ""), as the replica \(membership.name)"
    }

    private static func defaultName() -> String {
        let host = ProcessInfo.processInfo.hostName.prefix(50).filter { FleetKeys.isName(String($0)) }
        let digits = String(UInt16.random(in: .min ... .max), radix: 16)
        return "\(host.isEmpty ? "replica" : host)-\(String(repeating: "0", count: 4 - digits.count))\(digits)"
    }
}
