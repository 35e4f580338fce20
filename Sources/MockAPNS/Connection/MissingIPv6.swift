import NIOCore
import SystemPackage

/// A machine without IPv6. Its system says of an IPv6 address only that there is no such host.
package enum MissingIPv6 {
    /// Returns whether a host is an IPv6 address, and not a name or an IPv4 address.
    package static func isAddress(_ host: String) -> Bool {
        // An address of one link names the interface: fe80::1%eth0.
        let address = String(host.prefix { $0 != "%" })
        return (try? SocketAddress(ipAddress: address, port: 0))?.protocol == .inet6
    }

    /// Returns what to say of an address that cannot be listened on; `nil` if that has another reason.
    static func sentence(for host: String, _ error: any Error) -> String? {
        let isFamilyUnknown = (error as? IOError)?.errnoCode == Errno.addressFamilyNotSupported.rawValue
        guard isFamilyUnknown || error is SocketAddressError.UnknownHost, isAddress(host) else { return nil }
        return
            "\(host) is an IPv6 address, but this machine has no IPv6; choose an IPv4 address, such as 127.0.0.1, or 0.0.0.0 for all of them."
    }
}
