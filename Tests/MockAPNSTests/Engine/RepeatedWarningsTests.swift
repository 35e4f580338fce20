import Logging
import MockAPNSCore
import NIOCore
import NIOEmbedded
import TestClients
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSScenario

@Suite("Repeated warnings")
struct RepeatedWarningsTests {
    @Test("Of each kind the first are logged, then their number and the latest")
    func counted() {
        let (loop, messages) = (EmbeddedEventLoop(), Messages())
        let warnings = RepeatedWarnings(logger: logger(messages), timers: Timers(on: loop, through: Gate()))
        for number in 1...500 { warnings.warn(.handshake, "handshake \(number)") }
        for number in 1...10 { warnings.warn(.adminCall, "call \(number)") }
        let first = (1...10).map { "handshake \($0)" } + (1...10).map { "call \($0)" }
        #expect(messages.all == first)
        loop.advanceTime(by: RepeatedWarnings.period)
        let summary = "490 more warnings of this kind within 10 s; the latest: handshake 500"
        #expect(messages.all == first + [summary])
        warnings.warn(.handshake, "another")
        #expect(messages.all == first + [summary, "another"])
        loop.advanceTime(by: RepeatedWarnings.period)
        #expect(messages.all == first + [summary, "another"])
    }

    @Test("At debug level all are logged")
    func verbose() {
        let (loop, messages) = (EmbeddedEventLoop(), Messages())
        let warnings = RepeatedWarnings(logger: messages.logger, timers: Timers(on: loop, through: Gate()))
        for number in 1...20 { warnings.warn(.protocolFault, "\(number)") }
        #expect(messages.all == (1...20).map(String.init))
    }

    @Test("A server that stops does not keep the number to itself")
    func stop() {
        let (loop, messages) = (EmbeddedEventLoop(), Messages())
        let warnings = RepeatedWarnings(logger: logger(messages), timers: Timers(on: loop, through: Gate()))
        for number in 1...11 { warnings.warn(.rejection, "\(number)") }
        warnings.reportOmitted()
        #expect(messages.all.last == "1 more warning of this kind within 10 s; the latest: 11")
        loop.advanceTime(by: RepeatedWarnings.period)
        #expect(messages.all.count == 11)
    }

    @Test("Unfinished handshakes do not flood the log")
    func handshakes() async throws {
        let (count, messages) = (60, Messages())
        let server = try await MockAPNSServer.start(Configuration(), logger: logger(messages))
        for number in 1...count {
            // Sent with the connection: one that says nothing for 10 s, as on a busy machine, is not counted.
            let client = try await TestProvider.connect(to: server, speech: .tcp, greeting: [22, 3, 1, 2, 0, 1])
            await client.close()
            // Counted once the connection has ended. A client of another process may have taken the port for its own.
            try await until { server.summary.connectionsOpened >= number }
        }
        await server.stop()
        let opened = server.summary.connectionsOpened
        // On a slow machine some handshakes take too long, which is said in other words.
        let warnings = messages.all.filter { $0.contains("Connection ") && $0.contains(" from 127.0.0.1") }
        let summaries = warnings.filter { $0.contains(" of this kind within ") }
        let omitted = summaries.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }.reduce(0, +)
        #expect(warnings.count - summaries.count + omitted == opened, "\(messages.all)")
        #expect(!summaries.isEmpty && warnings.count < count, "\(messages.all)")
        // Whether it is in a summary depends on when the period ended.
        #expect(warnings.last?.contains("Connection \(opened) from ") == true, "\(messages.all)")
    }

    @Test("The messages of a session name it")
    func session() async throws {
        let messages = Messages()
        let server = try await MockAPNSServer.start(Configuration(), logger: messages.logger)
        var request = SessionRequest()
        request.name = "checkout"
        request.scenario = Scenario.read(Array(#"{"rules":[{"then":{"reject":"Shutdown"}}]}"#.utf8)).0
        let session = try await server.sessions.open(request, of: server).server
        for own in [server, session] {
            let client = try await TestProvider.connect(to: own, speech: .tcp, greeting: [22, 3, 1, 2, 0, 1])
            await client.close()
            // Counted once the connection has ended.
            try await until { own.summary.connectionsOpened == 1 }
            let provider = try await TestProvider.connect(to: own)
            _ = try await provider.push(TestPush(server.authorization()))
            await provider.close()
        }
        await server.stop()
        let told = messages.all.filter { $0.contains("Connection 1 from 127.0.0.1") }
        #expect(told.count == 2 && told[0].hasPrefix("Connection 1 "), "\(messages.all)")
        #expect(told.last?.hasPrefix("Session checkout: Connection 1 from ") == true, "\(messages.all)")
        // At debug level, requests that were refused.
        #expect(messages.all.contains { $0.hasPrefix("Session checkout: Request 1: 503 Shutdown") }, "\(messages.all)")
    }

    /// A logger as without `--verbose`.
    private func logger(_ messages: Messages) -> Logger {
        var logger = messages.logger
        logger.logLevel = .info
        return logger
    }
}
