import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSSuite

@Suite("The remark that a driver does not keep its connection")
struct ConnectionRemarkTests {
    /// - Parameter connections: on which connection each request comes.
    private static func remark(on connections: [Int], pushedByAdmin: Int = 0) throws -> String? {
        var rig = try JudgeRig("")
        var opened = [rig.connection]
        while opened.count < 3 { opened.append(rig.gateway.openConnection(.example, at: rig.time)) }
        for connection in connections { rig.send(on: opened[connection]) }
        for _ in 0..<pushedByAdmin { rig.sendAsAdmin() }
        return rig.gateway.log.snapshot.remarkOnConnections
    }

    @Test(arguments: [[0, 1], [2, 0, 1]])
    func connectionsOfOneRequestAreRemarkedOn(_ connections: [Int]) throws {
        let remark = try #require(try Self.remark(on: connections))
        let words = "each of the \(connections.count) requests came on a connection of its own, "
        #expect(remark.hasPrefix(words), "\(remark)")
    }

    @Test(arguments: [[], [0], [0, 0], [0, 1, 0]])
    func aConnectionThatIsKeptNeedsNoRemark(_ connections: [Int]) throws {
        #expect(try Self.remark(on: connections) == nil)
    }

    /// They come on no connection of the driver.
    @Test(arguments: [1, 2])
    func pushesOfTheAdminAPIDoNotCount(_ count: Int) throws {
        let remark = try #require(try Self.remark(on: [0, 1], pushedByAdmin: count))
        #expect(remark.hasPrefix("each of the 2 requests "), "\(remark)")
    }
}
