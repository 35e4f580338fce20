import ArgumentParser
import Logging
import MockAPNS
import MockAPNSAdmin
import MockAPNSCore
import MockAPNSFleet
import MockAPNSJudge

/// A server that runs until a signal ends it, as `serve` and `relay` do.
struct Serving {
    let options: ServerOptions<ServeHelp>
    /// What it is in a fleet.
    var replica: ReplicaOptions?
    /// The other APNs that answers what no rule decides.
    var relay: Configuration.Relay?
    /// Whether it ends with the process that started it.
    var endsWithParent = false
    /// Whether the page is opened in the browser.
    var opensPage = false

    init(options: ServerOptions<ServeHelp>) { self.options = options }

    func run() async throws {
        let messages = Messages(quiet: options.quiet, verbose: options.verbose, waitsForReader: false)
        let signals = Signals(endsWithParent: endsWithParent)
        do {
            var configuration = options.configuration()
            configuration.holdsLog = true
            configuration.relay = relay
            let membership = replica?.options()
            configuration.replica = membership?.name
            let server = try await signals.cancellingAtEnd { [configuration] in
                try await MockAPNSServer.prepare(configuration, logger: messages.logger)
            }
            var fleet: FleetReplica?
            do {
                if let membership, let url = replica?.fleet.url {
                    server.acceptFleetCalls()
                    fleet = try await signals.cancellingAtEnd {
                        try await FleetReplica.join(server, membership, logger: messages.logger) {
                            FleetOptions.link(to: url)
                        }
                    }
                }
                // A push that came earlier would be decided without the state that all replicas share.
                try await server.listen()
                let admin = try await AdminServer.start(
                    for: server, host: options.adminHost ?? options.host, port: options.portOfAdmin,
                    access: options.admin.access, hasPage: !options.admin.hasNoPage, logger: messages.logger)
                if let port = options.proxyPort { try await ProviderProxy.start(for: server, port: Int(port)) }
                await fleet?.announce(at: admin.url)
                // A parent that ended before this process could look at it does not read the ready line.
                if !announce(server, admin, as: membership, messages), endsWithParent { signals.end() }
                // Some browsers stay in the foreground of their command.
                if opensPage { Task { await Browser.open(admin.url + "/ui/", messages.logger) } }
                for await signal in signals.events {
                    if signal == .reopenLog {
                        server.reopenLog()
                        continue
                    }
                    if signal == .end || signals.hasLostTerminal { break }
                    await reload(server, messages, signals)
                }
                messages.say(
                    "mock-apns is stopping; open streams get 5 s to finish. Press Control-C again to stop at once.")
                let impatience = signals.atNextEnd { ServerOptions<ServeHelp>.exit(withError: ExitCode(130)) }
                let deadline = EndDeadline()
                // No single replica can judge what a scenario expects of a fleet.
                let verification =
                    fleet == nil ? await server.verification(explainingWithin: .seconds(1)) : Verification([])
                await server.stop()
                // Open streams may have taken all of the time.
                async let left: Void? = fleet?.leave(within: max(deadline.left, .seconds(2)))
                messages.say(block: server.summary.text)
                if !verification.isEmpty { messages.say(block: verification.description) }
                await admin.stop()
                await left
                impatience.cancel()
            } catch {
                await server.stop()
                await fleet?.leave(served: false)
                throw error
            }
        } catch let error as StartError {
            throw messages.exit(error)
        } catch is CancellationError {
            messages.say("mock-apns was stopped before it was ready.")
        }
    }

    /// Returns whether the ready line could be written.
    private func announce(
        _ server: MockAPNSServer, _ admin: AdminServer, as membership: FleetReplica.Options?, _ messages: Messages
    ) -> Bool {
        let ready = ReadyLine(server: server, admin: admin.url)
        let isWritten = Messages.result(json: ready.json)
        server.releaseLog()
        messages.say(
            block: Banner(
                ready, of: server, scenario: options.scenario == nil ? nil : server.scenario,
                asksForToken: options.admin.access.token != nil, hasPage: !options.admin.hasNoPage,
                partners: partners(as: membership)
            ).text)
        return isWritten
    }

    /// The other servers that it works with, each with what it is to this one.
    private func partners(as membership: FleetReplica.Options?) -> KeyValuePairs<String, String> {
        if let relay { return ["upstream": "\(relay.url)   answers what no rule decides"] }
        if let membership, let replica { return ["fleet   ": replica.inShort(of: membership)] }
        return [:]
    }

    private func reload(_ server: MockAPNSServer, _ messages: Messages, _ signals: Signals) async {
        do {
            let isNew = try await signals.cancellingAtEnd { try await server.reloadApart() }
            if server.fleet != nil {
                messages.logger.notice(
                    "Certificates and keys were reloaded; new connections use them. \(APICall.playScenario) on the collector plays another scenario on all replicas of the fleet."
                )
                return
            }
            let scenario = isNew ? " The scenario starts over." : ""
            messages.logger.notice(
                "Certificates, keys and scenario were reloaded; new connections use them.\(scenario)")
        } catch is CancellationError {
            // The server is stopping.
        } catch {
            for line in (error as? StartError)?.lines ?? ["\(error)"] {
                messages.logger.error("Certificates and scenario were not reloaded: \(line)")
            }
        }
    }
}
