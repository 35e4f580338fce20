import TestSupport
import Testing

@testable import MockAPNS

/// Ports for the management of broadcast channels.
@Suite struct ManagementPortTests {
    private typealias Port = MockAPNSServer.Configuration.ManagementPort

    @Test func theArgumentHasAPortAndOptionalEnvironment() {
        #expect(Port(option: "2195") == Port(port: 2195))
        #expect(Port(option: "2195:sandbox") == Port(port: 2195, environment: .sandbox))
        #expect(Port(option: "0:development") == Port(port: 0, environment: .sandbox))
        #expect(Port(option: "2196:production") == Port(port: 2196, environment: .production))
        for wrong in ["", ":", "2195:", "65536", "x:sandbox", "2195:serverName", "2195:sandbox:", "-1"] {
            #expect(Port(option: wrong) == nil, "\(wrong)")
        }
    }

    @Test func connectionsBelongToTheEnvironmentOfTheirPort() async throws {
        try await withServer {
            $0.environment = .production
            $0.managementPorts = [Port(port: 0, environment: .sandbox), Port(port: 0)]
        } _: { server in
            #expect(server.managementPorts.count == 2 && server.ports.count == 1)
            for (port, isSandbox) in zip(server.managementPorts + server.ports, [true, false, false]) {
                let provider = try await TestProvider.connect(port: port)
                let answer = try await provider.push(TestPush(server.authorization()))
                #expect((answer["apns-unique-id"] != nil) == isSandbox)
            }
        }
    }
}
