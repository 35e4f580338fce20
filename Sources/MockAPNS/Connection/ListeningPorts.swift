package import NIOCore

/// A port of a server, by what it is for.
package enum PortUse: Sendable, Equatable {
    case provider
    case management
    case admin
    case proxy
    /// The provider port of the session with this name.
    case session(String)

    /// The option that chooses it; a session's is chosen in the call that opens it.
    fileprivate var option: String? {
        switch self {
        case .provider: "--port"
        case .management: "--manage-port"
        case .admin: "--admin-port"
        case .proxy: "--proxy-port"
        case .session: nil
        }
    }

    /// The option that chooses its address.
    var hostOption: String { self == .admin ? "--admin-host" : "--host" }

    /// How to choose another one.
    var advice: String {
        option.map { "choose another port, or 0 for any free one (\($0))" }
            ?? "choose another \"port\", or leave it out for any free one"
    }

    /// Its name in a sentence.
    var name: String {
        switch self {
        case .provider: "a provider port of this server"
        case .management: "a management port of this server"
        case .admin: "the admin port of this server"
        case .proxy: "the proxy port of this server"
        case .session(let name): "the port of the session \"\(name)\""
        }
    }
}

/// The ports on which a server and its sessions listen.
package final class ListeningPorts: Sendable {
    private let uses = Guarded<[ObjectIdentifier: (port: Int, use: PortUse)]>([:])

    /// Adds the port of a listener until that is closed.
    package func add(_ listener: any Channel, _ use: PortUse) {
        let id = ObjectIdentifier(listener)
        uses.withLock { $0[id] = (listener.localPort, use) }
        listener.closeFuture.whenComplete { [self] _ in uses.withLock { $0[id] = nil } }
    }

    /// Returns the server's use of a port; `nil` if it has none.
    func use(of port: Int) -> PortUse? { uses.withLock { $0.values.first { $0.port == port }?.use } }
}
