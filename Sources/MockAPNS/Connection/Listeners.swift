import Logging
import NIOCore
import NIOPosix
import SystemPackage

/// Opens the listening sockets of a server.
enum Listeners {
    /// Opens the port on the host. Without a host, listens on `127.0.0.1` and, if available, on `::1` with the same
    /// port.
    ///
    /// - Parameters:
    ///   - use: what the port is for.
    ///   - ports: the server's ports, to which it is added.
    static func open(
        host: String?, port: Int, _ use: PortUse, in ports: ListeningPorts, on bootstrap: ServerBootstrap
    ) async throws(StartError) -> [any Channel] {
        let opened: [any Channel]
        if let host {
            do { opened = [try await bootstrap.bind(host: host, port: port).get()] } catch {
                throw .port(port, host: host, error, use, in: ports)
            }
        } else {
            opened = try await openLoopback(port: port, use, in: ports, on: bootstrap)
        }
        for listener in opened { ports.add(listener, use) }
        return opened
    }

    private static func openLoopback(
        port: Int, _ use: PortUse, in ports: ListeningPorts, on bootstrap: ServerBootstrap
    ) async throws(StartError) -> [any Channel] {
        var draws = 0
        while true {
            let first: any Channel
            do {
                first = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
            } catch {
                throw .port(port, host: "127.0.0.1", error, use, in: ports)
            }
            do {
                return [first, try await bootstrap.bind(host: "::1", port: first.localPort).get()]
            } catch {
                // There is no IPv6: one address is enough.
                guard StartError.errno(of: error) == .addressInUse else { return [first] }
                try? await first.close()
                // A port that is free in one address family may be taken in the other; try another one.
                draws += 1
                if port != 0 || draws == 16 { throw .port(port, host: "::1", error, use, in: ports) }
            }
        }
    }
}

extension StartError {
    /// Creates the error for a port that cannot be opened, with a hint.
    ///
    /// - Parameters:
    ///   - port: the requested port.
    ///   - host: the address to listen on.
    ///   - error: the system's error.
    ///   - use: what the port is for.
    ///   - ports: the ports on which the server listens already.
    package static func port(
        _ port: Int, host: String, _ error: any Error, _ use: PortUse, in ports: ListeningPorts
    ) -> StartError {
        if let sentence = MissingIPv6.sentence(for: host, error) { return .unavailable(sentence) }
        if error is SocketAddressError.UnknownHost {
            return .unavailable(
                "There is no such host as \"\(host)\"; \(use.hostOption) takes an address of this machine, or a name of one."
            )
        }
        let fault =
            switch errno(of: error) {
            case .addressInUse:
                ports.use(of: port).map { "is already \($0.name); \(use.advice)" }
                    ?? "is in use by another program or server; stop it, or \(use.advice)"
            case .permissionDenied: "cannot be opened: ports below 1024 need privileges; \(use.advice)"
            case .addressNotAvailable:
                "cannot be opened: this machine does not have that address; \(use.hostOption) 0.0.0.0 listens on all"
            default: "cannot be opened: \(error)"
            }
        return .unavailable("Port \(port) on \(host) \(fault).")
    }

    fileprivate static func errno(of error: any Error) -> Errno? {
        (error as? IOError).map { Errno(rawValue: $0.errnoCode) }
    }
}

extension Channel {
    /// The port a listening channel is bound to.
    var localPort: Int { localAddress?.port ?? 0 }
}
