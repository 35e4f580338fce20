import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite("A call of the admin API that went to the port for pushes")
struct AdminPathTests {
    private static let sentence = "This looks like a call of the admin API, which is at http://127.0.0.1:2198."

    private static func call(_ path: String, _ method: String = "POST") -> ExamplePush {
        ExamplePush {
            $0.method = method
            $0.path = path
        }
    }

    @Test("The explanation says where the API is, and each connection is told of once")
    func explained() {
        var rig = GatewayRig()
        rig.gateway.adminURL = "http://127.0.0.1:2198"
        #expect(rig.gateway.takeAdminCaller() == nil)
        let get = rig.send(Self.call("/api/v1/", "GET"))
        #expect(get.reason == "MethodNotAllowed" && get.explanation.hasSuffix(" " + Self.sentence))
        #expect(rig.gateway.takeAdminCaller() == rig.connection)
        #expect(rig.gateway.takeAdminCaller() == nil)
        let post = rig.send(Self.call("/api/v1/" + String(repeating: "a", count: 200)))
        #expect(post.reason == "BadPath" && post.explanation.hasSuffix(" " + Self.sentence))
        #expect(rig.gateway.takeAdminCaller() == nil)
        let other = rig.gateway.openConnection(.example, at: rig.now)
        rig.send(Self.call("/api/v1/requests"), on: other)
        #expect(rig.gateway.takeAdminCaller() == other)
    }

    @Test(
        "Other paths and other faults are not explained like that",
        arguments: ["/", "/api/v1", "/api/v2/", "/3/device/"])
    func others(path: String) {
        var rig = GatewayRig()
        rig.gateway.adminURL = "http://127.0.0.1:2198"
        for method in ["GET", "POST"] { #expect(!rig.send(Self.call(path, method)).explanation.contains("admin API")) }
        #expect(rig.gateway.takeAdminCaller() == nil)
    }

    @Test("Without an admin API nothing is said of it")
    func withoutAPI() {
        var rig = GatewayRig()
        #expect(!rig.send(Self.call("/api/v1/requests")).explanation.contains("admin API"))
        #expect(rig.gateway.takeAdminCaller() == nil)
    }
}
