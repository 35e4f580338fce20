import Foundation
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

#if os(Linux)
/// At the limit of descriptors the server pauses accepting: it says so once, serves those who are there, and goes on.
@Suite struct DescriptorLimitTests {
    /// Processor time of a process, user and system, in seconds.
    private func processorTime(of process: Int32) throws -> Double {
        let text = try String(contentsOf: URL(filePath: "/proc/\(process)/stat"), encoding: .utf8)
        let fields = text.suffix(from: text.lastIndex(of: ")") ?? text.startIndex).split(separator: " ")
        return try (#require(Double(fields[12])) + #require(Double(fields[13]))) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    @Test func acceptingGoesOnWhenConnectionsHaveClosed() async throws {
        try await withServerProcess(openFiles: 48) { process, server, folder in
            let token = "bearer " + (try await ServerProcess.run(["token", "--certs", folder.string])).output
            let served = try await TestProvider.connect(port: server.port)
            var others: [TestProvider] = []
            // Connections that are not accepted are open for the client: the kernel holds them.
            for _ in 0..<60 {
                others.append(try await TestProvider.connect(port: server.port, speech: .tcp))
            }
            _ = try await process.message(containing: "No more connections can be accepted")
            let before = try processorTime(of: process.processID)
            for _ in 0..<20 {
                #expect(try await served.push(TestPush(token)).status == "200")
                try await Task.sleep(for: .milliseconds(50))
            }
            // A loop that spins takes a second of them.
            #expect(try processorTime(of: process.processID) - before < 0.4)
            for other in others { await other.close() }
            let late = try await TestProvider.connect(port: server.port)
            #expect(try await late.push(TestPush(token)).status == "200")
            _ = try await process.message(containing: "Connections are accepted again")
            #expect(try await served.push(TestPush(token)).status == "200")
        }
    }
}
#endif
