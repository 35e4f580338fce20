import ArgumentParser
import MockAPNS

/// The arguments of `--host`, `--admin-host` and `--server-name`.
enum HostOption {
    /// Refuses an empty address, which a shell makes of a variable that is not set.
    static func check(_ address: String?, _ option: String) throws {
        if address?.isEmpty == true {
            throw ValidationError("\(option) is empty; it must be an address or a host name of this machine.")
        }
    }

    /// Refuses a name for which no certificate can be issued.
    static func check(serverNames: [String]) throws {
        for name in serverNames where !HostText.isName(name) {
            throw ValidationError("--server-name is \"\(name)\"; it must be a host name or an IP address.")
        }
    }
}
