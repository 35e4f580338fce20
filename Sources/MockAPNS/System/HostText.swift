import MockAPNSTransport
import NIOCore

/// Hosts as text.
package enum HostText {
    /// Returns an address with its port, for example `[::1]:50000`.
    static func withPort(_ address: SocketAddress?) -> String {
        guard let address, let host = address.ipAddress, let port = address.port else { return "an unknown address" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Returns the host at which this machine can reach a listener on that address, in URL form.
    package static func reachable(_ host: String?) -> String {
        switch host {
        case nil: "127.0.0.1"
        case let host? where isEveryAddress(host): "127.0.0.1"
        case let host? where host.contains(":"): "[\(host)]"
        case let host?: host
        }
    }

    /// Whether a listener on that address accepts connections to all addresses of this machine, as in a container.
    package static func isEveryAddress(_ host: String?) -> Bool { host == "0.0.0.0" || host == "::" }

    /// Returns whether a certificate can be issued for it: a host name or an IP address.
    package static func isName(_ text: String) -> Bool { (try? SubjectName(text)) != nil }
}
