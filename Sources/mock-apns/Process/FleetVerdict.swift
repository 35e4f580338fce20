import Logging
import MockAPNS
import MockAPNSCore
import MockAPNSFleet
import MockAPNSJudge

/// The verdict on a fleet: that of its running collector, which knows more than the engine still has; or, if none is
/// running, that of a collector which reads what the engine has.
struct FleetVerdict {
    /// Maximum time in seconds for the verdict of a collector: one that was started just now reads everything first.
    private static let patience: Int64 = 600

    let report: Report

    /// - Parameters:
    ///   - fleet: the name of the fleet.
    ///   - engine: the address of its engine.
    ///   - token: the token for the collector's admin port.
    /// - Throws: `StartError` if there is no verdict.
    init(
        of fleet: String, by engine: FleetURL, _ wanted: ServerVerdict.Question, token: String?, _ logger: Logger
    ) async throws {
        let scenario = try Scenario.read(named: wanted.scenario ?? "")
        switch try await Self.findCollector(of: fleet, by: engine, token: token) {
        case .found(let address):
            let client = try AdminClient(address.url, from: Self.name, token: token)
            report = try await ServerVerdict(client, wanted, within: Self.patience).report
        case .none: report = try await Self.judge(scenario, byWhatIsIn: engine, of: fleet, wanted, logger)
        case .outOfReach(let address, let problem):
            throw StartError.unavailable("The collector of the fleet \(fleet) is at \(address.url), but \(problem).")
        }
    }

    // MARK: The running collector

    private static func findCollector(
        of fleet: String, by engine: FleetURL, token: String?
    ) async throws(StartError) -> CollectorSearch {
        let link = FleetOptions.link(to: engine)
        do throws(FleetError) {
            let search = try await link.findCollector(FleetKeys(fleet)) {
                await problem(at: $0, token: token, within: $1)
            }
            await link.close()
            return search
        } catch {
            await link.close()
            throw .unavailable("The fleet \(fleet) cannot be read: \(error).")
        }
    }

    /// Returns why a collector does not answer at its address, and what to do, as part of a sentence; `nil` if it does.
    private static func problem(
        at address: CollectorAddress, token: String?, within time: Duration
    ) async -> String? {
        guard let client = try? AdminClient(address.url, from: name, token: token) else {
            return "that is not the address of an admin API; \(advice)"
        }
        let seconds = max(1, time.components.seconds + 1)
        guard let answer = try? await client.send(.getFleet, within: seconds, atMost: 1 << 20) else {
            return "nothing answers there; \(advice)"
        }
        if answer.status == 401 {
            return token == nil
                ? "what answers there requires a token (401); give it with --admin-token or MOCK_APNS_ADMIN_TOKEN"
                : "what answers there refuses the token of --admin-token or MOCK_APNS_ADMIN_TOKEN (401)"
        }
        let id = (try? JSONText.read(answer.body, .recorded))?["id"]?.string
        return id == address.id ? nil : "something else answers there; \(advice)"
    }

    private static let name = "the address of the collector"
    private static let advice =
        "give --admin URL instead of --fleet, with an address by which this machine reaches it, or start it with --admin-host and --admin-name, so that it names one"

    // MARK: The engine

    private static func judge(
        _ scenario: Scenario, byWhatIsIn engine: FleetURL, of fleet: String, _ wanted: ServerVerdict.Question,
        _ logger: Logger
    ) async throws -> Report {
        let file = wanted.scenario ?? ""
        let server = try await MockAPNSServer.collector(
            scenario: file, logLimit: GatewayConfiguration.defaultLogLimit, logger: logger)
        let collector: FleetCollector
        do throws(StartError) {
            collector = try await FleetCollector.join(server, FleetCollector.Options(fleet: fleet), logger: logger) {
                FleetOptions.link(to: engine)
            }
        } catch {
            await server.stop()
            throw error
        }
        let verification = await server.verification(allowingMissing: wanted.allowsMissing)
        var report = Report(verification, of: scenario, file: file, from: nil, to: nil)
        report.remarks.insert("No collector is running, so this is judged by what the engine still has.", at: 0)
        report.totals = server.summary.text
        if wanted.lints { report.lint = await server.lintRun() }
        await collector.leave()
        await server.stop()
        return report
    }
}
