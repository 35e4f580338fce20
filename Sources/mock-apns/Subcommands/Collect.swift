import ArgumentParser
import Logging
import MockAPNS
import MockAPNSAdmin
import MockAPNSCore
import MockAPNSFleet
import MockAPNSJudge
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Collect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the collector of a fleet: the log of all its servers, with admin API and page.",
        discussion: """
            The servers of a fleet run with serve --fleet. The collector reads from the engine what they ship, puts it \
            into one log, in one order, and counts and judges as a single server would. When the admin port is open, \
            it prints its address to standard output, as one line of JSON. Calls that change devices, rules, channels, the clock, \
            connections or the scenario are carried out by all servers, in one order. The exit code is 69 if the engine cannot be reached. \
            SIGTERM and SIGINT end it within 5 s, whatever the engine does; a second one ends it at once, with exit code 130.

            Example:
              mock-apns collect --fleet redis://127.0.0.1 --scenario scenarios/tour.json
            """)

    @OptionGroup var fleet: FleetOptions

    @Option(
        help: ArgumentHelp("The scenario that the servers play, with what it expects.", valueName: "file"),
        completion: .file(extensions: ["json"]), transform: NonemptyOption.read)
    var scenario: String?

    @Option(
        help: ArgumentHelp("The admin port (HTTP/1.1); 0 takes any free one. (default: 2198)", valueName: "port"),
        transform: NumberOption.port)
    var adminPort: UInt16 = 2198

    @Option(
        help:
            "The address of the admin listener. On all addresses (0.0.0.0), the collector is announced under the first --admin-name, or under the name of its machine, and answers to that. (default: 127.0.0.1, and ::1 where the machine has it)"
    )
    var adminHost: String?

    @OptionGroup var admin: AdminOptions

    @Option(
        help:
            "The number of requests of all servers kept in memory; older ones are dropped and counted. (default: 1000000)",
        transform: NumberOption.reader(of: 1...Int.max))
    var logLimit = 1_000_000

    @OptionGroup var parent: ParentOptions

    @Flag(help: "Print only errors.")
    var quiet = false

    func validate() throws {
        guard fleet.url != nil else {
            throw ValidationError("There is no fleet to collect; give --fleet URL, the address of its engine.")
        }
        try HostOption.check(adminHost, "--admin-host")
    }

    func run() async throws {
        guard let url = fleet.url else { return }
        let messages = Messages(quiet: quiet, waitsForReader: false)
        let signals = Signals(endsWithParent: parent.endsWithParent)
        do {
            let server = try await MockAPNSServer.collector(
                scenario: scenario, logLimit: logLimit, logger: messages.logger)
            do {
                try await run(server, url, messages, signals)
            } catch {
                await server.stop()
                throw error
            }
        } catch let error as StartError {
            throw messages.exit(error)
        } catch is CancellationError {
            messages.say("mock-apns was stopped before it was ready.")
        }
    }

    /// The name by which others reach this machine: the first of `--admin-name` that is one, or that of the host.
    private var name: String? {
        if let name = admin.names.first(where: { !$0.hasPrefix("*") }) { return name }
        let name = ProcessInfo.processInfo.hostName
        return MockAPNSServer.AdminAccess.isName(name) ? name : nil
    }

    private func run(
        _ server: MockAPNSServer, _ url: FleetURL, _ messages: Messages, _ signals: Signals
    ) async throws {
        server.acceptFleetCalls()
        let options = FleetCollector.Options(fleet: fleet.fleetName)
        let collector = try await signals.cancellingAtEnd {
            try await FleetCollector.join(server, options, logger: messages.logger) { FleetOptions.link(to: url) }
        }
        // The host name that replicas give to users, who may be on any machine.
        let ownName = HostText.isEveryAddress(adminHost) ? name : nil
        var access = admin.access
        if let ownName { access.names.append(ownName) }
        let listener: AdminServer
        do throws(StartError) {
            listener = try await AdminServer.start(
                for: server, host: adminHost, port: Int(adminPort), access: access, hasPage: !admin.hasNoPage,
                logger: messages.logger)
        } catch {
            await collector.leave()
            throw error
        }
        await collector.announce(at: ownName.map { "http://\($0):\(listener.port)" } ?? listener.url)
        let isWritten = Messages.result(
            json: ReadyLine.json(ofFleet: fleet.fleetName, admin: listener.url, engine: url.shown))
        messages.say("The collector of the fleet \(fleet.fleetName) is ready: \(listener.url)")
        // A parent that ended before this process could look at it does not read the ready line.
        if !isWritten, parent.endsWithParent { signals.end() }
        for await signal in signals.events where signal == .end { break }
        let impatience = signals.atNextEnd { Collect.exit(withError: ExitCode(130)) }
        await end(server, collector, listener, messages)
        impatience.cancel()
    }

    /// Prints the verdict and ends everything, in 5 s at most.
    private func end(
        _ server: MockAPNSServer, _ collector: FleetCollector, _ admin: AdminServer, _ messages: Messages
    ) async {
        let deadline = EndDeadline()
        // The verdict has to do without later answers of the engine.
        let patience = deadline.left - .milliseconds(2500)
        let farewell = Task {
            try await Task.sleep(for: patience)
            await collector.leave()
        }
        let verification = await deadline.result(reserving: .milliseconds(1500)) {
            await server.verification(explainingWithin: .seconds(1))
        }
        farewell.cancel()
        messages.say(block: server.summary.text)
        if let verification {
            if !verification.isEmpty { messages.say(block: verification.description) }
        } else {
            messages.say(
                "There was no time for a verdict; ask for it before you stop the collector, with \(APICall.verify).")
        }
        _ = await deadline.result {
            await collector.leave()
            await admin.stop()
            await server.stop()
        }
    }
}

extension MockAPNSServer {
    /// Starts a server that collects what replicas ship.
    static func collector(
        scenario: String?, logLimit: Int, logger: Logger
    ) async throws -> MockAPNSServer {
        var configuration = Configuration(scenario: scenario.map { .named($0) })
        configuration.ports = []
        configuration.isCollector = true
        configuration.logLimit = logLimit
        return try await start(configuration, logger: logger)
    }
}
