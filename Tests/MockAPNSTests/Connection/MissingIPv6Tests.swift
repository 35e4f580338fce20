import NIOCore
import SystemPackage
import Testing

@testable import MockAPNS

@Suite struct MissingIPv6Tests {
    /// What NIO says of a host that the system does not know.
    private static var unknownHost: (any Error)? {
        do {
            _ = try SocketAddress.makeAddressResolvingHost("nosuch.invalid", port: 0)
            return nil
        } catch { return error }
    }

    @Test("An IPv6 address that the system does not know shows that the machine has no IPv6")
    func unknownAddress() throws {
        let unknown = try #require(Self.unknownHost)
        let noFamily = IOError(errnoCode: Errno.addressFamilyNotSupported.rawValue, reason: "socket")
        for error in [unknown, noFamily] {
            for host in ["::", "::1", "fe80::1%eth0"] {
                #expect(
                    MissingIPv6.sentence(for: host, error)
                        == "\(host) is an IPv6 address, but this machine has no IPv6; choose an IPv4 address, such as 127.0.0.1, or 0.0.0.0 for all of them."
                )
            }
            for host in ["nosuch.invalid", "127.0.0.1", "a:80", ""] {
                #expect(MissingIPv6.sentence(for: host, error) == nil)
            }
        }
        #expect(
            MissingIPv6.sentence(for: "::1", IOError(errnoCode: Errno.addressNotAvailable.rawValue, reason: "bind"))
                == nil)
    }
}
