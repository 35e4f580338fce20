import MockAPNS
import MockAPNSCore
import Testing

@testable import MockAPNSProbe

/// The probe and our own server.
@Suite(.serialized) struct OwnServerTests {
    @Test func agreesWhole() async throws {
        let results = try await probeOwnServer()
        for result in results { #expect(result.outcome == .agrees, "\(result.text)") }
        #expect(results.count == ProbeList.all.probes.count)
    }

    @Test func answersAreTheSameEachTime() async throws {
        let own = try await OwnServer.start()
        defer { Task { await own.server.stop(waiting: .zero) } }
        let target = own.target
        // Pushes to a device that has had its share are answered in another way the second time.
        let probes = ProbeList.all.probes.filter { $0.name != "too-many-requests" }
        let first = try await ProbeRun(target, timeout: .patience).run(probes) { _ in }
        let report = ProbeReport(
            server: "x", results: first, startedAt: Timestamp(milliseconds: 0), milliseconds: 1)
        let earlier = try EarlierAnswers(Array(report.json.utf8))
        let second = try await ProbeRun(target, timeout: .patience).run(probes, against: earlier) { _ in }
        for result in second { #expect(result.outcome == .agrees, "\(result.text)") }
    }

    @Test func noKeyOrTokenIsInAReport() async throws {
        let own = try await OwnServer.start()
        defer { Task { await own.server.stop(waiting: .zero) } }
        let target = own.target
        let results = try await ProbeRun(target, timeout: .patience).run(ProbeList.all.probes) { _ in }
        let report = ProbeReport(
            server: "x", results: results, startedAt: Timestamp(milliseconds: 0), milliseconds: 1)
        let all = report.json + report.junit + report.markdown + results.map(\.text).joined()
        for token in target.devices.values.joined() { #expect(!all.contains(token)) }
        // The first letters of every provider token.
        #expect(!all.contains("eyJ"))
    }

    @Test func echoedTokensAreHidden() {
        var secrets = Secrets()
        secrets.add("aaaaaaaa.bbbbbbbb.cccccccc")
        secrets.add("cccccccc")
        #expect(secrets.hidden(in: "got aaaaaaaa.bbbbbbbb.cccccccc and cccccccc".utf8, first: 99) == "got … and …")
    }

    @Test func withoutCredentialsMuchIsLeftOut() async throws {
        let own = try await OwnServer.start()
        defer { Task { await own.server.stop(waiting: .zero) } }
        var target = own.target
        (target.keys, target.certificates, target.devices) = ([:], [:], [:])
        let results = try await ProbeRun(target, timeout: .patience).run(ProbeList.all.probes) { _ in }
        #expect(results.contains { $0.outcome == .skipped } && results.contains { $0.outcome == .agrees })
        for result in results where result.outcome != .skipped { #expect(result.outcome == .agrees, "\(result.text)") }
    }

    @Test func whatAskedNothingHasNotPassed() async throws {
        let own = try await OwnServer.start()
        defer { Task { await own.server.stop(waiting: .zero) } }
        var target = own.target
        (target.keys, target.certificates, target.devices) = ([:], [:], [:])
        for (name, passes) in [("broadcast/create", false), ("broadcast/token-missing", true)] {
            let probes = ProbeList.all.named(name) ?? []
            let results = try await ProbeRun(target, timeout: .patience).run(probes) { _ in }
            let report = ProbeReport(
                server: "x", results: results, startedAt: Timestamp(milliseconds: 0), milliseconds: 1)
            #expect(report.passed == passes && report.isEmpty == !passes && results.count == 1, "\(report.json)")
        }
    }

    /// Who has a key but no certificate, or the reverse, is told of no difference that is not one.
    @Test(arguments: [true, false]) func halfOfTheCredentials(isKey: Bool) async throws {
        let own = try await OwnServer.start()
        defer { Task { await own.server.stop(waiting: .zero) } }
        var target = own.target
        if isKey { target.certificates = [:] } else { target.keys = [:] }
        let results = try await ProbeRun(target, timeout: .patience).run(ProbeList.all.probes) { _ in }
        for result in results where result.outcome != .skipped { #expect(result.outcome == .agrees, "\(result.text)") }
        let skipped = results.filter { $0.outcome == .skipped }
        #expect(skipped.allSatisfy { $0.reason?.contains(isKey ? "certificate" : "signing key") == true })
        let paths = skipped.map(\.probe.path)
        #expect(paths.contains("tokens/certificate") == isKey)
        #expect(paths.contains("limits/thousand-streams") == !isKey)
        #expect(paths.contains("headers/push-type-widgets") == !isKey)
        // They need no credentials, or those that are there.
        for path in ["checks/token-before-topic", "broadcast/token-missing", "connection/without-alpn"] {
            #expect(!paths.contains(path), "\(path)")
        }
    }

    @Test func anAnswerShowsWhatWasAskedOfIt() async throws {
        let own = try await OwnServer.start()
        defer { Task { await own.server.stop(waiting: .zero) } }
        let probes = ["headers/id-upper-case", "checks/error-body", "connection/alpn"].compactMap {
            ProbeList.all.named($0)?.first
        }
        let results = try await ProbeRun(own.target, timeout: .patience).run(probes) { _ in }
        let report = ProbeReport(
            server: "x", results: results, startedAt: Timestamp(milliseconds: 0), milliseconds: 1)
        for text in [
            "status 200, apnsID sent",
            #"status 400, reason BadPriority, body {"reason":"BadPriority"}, frames ["HEADERS","DATA"#,
            "state open, alpn h2",
        ] {
            #expect(results.contains { $0.text.contains("answered: \(text)") }, "\(text)")
        }
        #expect(report.json.contains(#""answered":"status 200, apnsID sent"#))
    }

    @Test func aResetAfterAWholeAnswerIsIgnored() {
        var stream = ProbeConnection.Stream()
        stream.isEnded = true
        stream.reset(0)
        #expect(stream.resets.isEmpty)
        stream = ProbeConnection.Stream()
        stream.reset(7)
        #expect(stream.resets == [7] && stream.isOver)
    }

    @Test func channelsThatWereMadeAreDeleted() async throws {
        let own = try await OwnServer.start()
        defer { Task { await own.server.stop(waiting: .zero) } }
        let stop = ProbeStop()
        let run = ProbeRun(own.target, timeout: .patience, stop: stop)
        var reported = 0
        // Stopped early, after a probe that made a channel of its own and some that others share.
        let results = try await run.run(ProbeList.all.probes.filter { $0.group == .broadcast }) { _ in
            reported += 1
            if reported == 41 { stop.come() }
        }
        #expect(results.count == 41)
        #expect(run.channels.open.isEmpty)
        let made = try await own.server.requests(matching: .call(.create).status(201)).count
        let deleted = try await own.server.requests(matching: .call(.delete).status(204)).count
        #expect(made > 3)
        #expect(made == deleted)
    }

    @Test func serversWithoutChannelsAreAskedOnlyOnce() async throws {
        let own = try await OwnServer.start()
        defer { Task { await own.server.stop(waiting: .zero) } }
        var target = own.target
        target.topic = "com.example.second"
        let results = try await ProbeRun(target, timeout: .patience).run(
            ProbeList.all.probes.filter { $0.group == .broadcast && $0.channels == [.stored] }
        ) { _ in }
        for result in results {
            #expect(result.outcome == .skipped && result.reason?.contains("BroadcastFeatureNotEnabled") == true)
        }
    }

    @Test func probingAStoppedServerFails() async throws {
        let own = try await OwnServer.start()
        let target = own.target
        await own.server.stop(waiting: .zero)
        await #expect(throws: ProbeRun.Failure.self) {
            _ = try await ProbeRun(target, timeout: .patience).run(ProbeList.all.probes) { _ in }
        }
    }

    @Test func anUntrustedServerIsNotProbed() async throws {
        let own = try await OwnServer.start()
        defer { Task { await own.server.stop(waiting: .zero) } }
        var target = own.target
        target.authorities = nil
        do {
            _ = try await ProbeRun(target, timeout: .patience).run(ProbeList.all.probes) { _ in }
            Issue.record("trusted")
        } catch let error as ProbeRun.Failure {
            #expect("\(error)".contains("--ca"))
        }
    }
}
