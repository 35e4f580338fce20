import ArgumentParser
import MockAPNS
import MockAPNSAdmin

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options of all commands with an admin listener: who may use it, and what it has.
struct AdminOptions: ParsableArguments {
    @Option(
        name: .customLong("admin-name"), parsing: .singleValue,
        help: ArgumentHelp(
            "Another host name that the admin port answers to; repeatable; * is every name. (default: IP addresses, localhost, and names of private networks)",
            valueName: "name"))
    var names: [String] = []

    @Option(
        name: .customLong("admin-token"),
        help: ArgumentHelp(
            "Token that admin calls must send, as Authorization: Bearer TOKEN; the variable MOCK_APNS_ADMIN_TOKEN keeps it out of process lists. (default: none needed)",
            valueName: "token"))
    var token: String?

    @Option(
        name: .customLong("admin-prefix"),
        help: ArgumentHelp(
            "What a reverse proxy puts before all paths of the page and the API, such as /mock. (default: what it says in X-Forwarded-Prefix, from this machine)",
            valueName: "path"))
    var prefix = ""

    @Flag(name: .customLong("no-page"), help: "Leave out the page on the admin port; the API stays.")
    var hasNoPage = false

    mutating func validate() throws {
        for name in names where !MockAPNSServer.AdminAccess.isName(name) {
            throw ValidationError("--admin-name is \"\(name)\"; it must be a host name, or * for every name.")
        }
        if let given = access.token, !MockAPNSServer.AdminAccess.isToken(given) {
            let name = token == nil ? Self.tokenVariable : "--admin-token"
            throw ValidationError("\(name) must be visible ASCII characters without spaces.")
        }
        if !MockAPNSServer.AdminAccess.isPrefix(prefix) {
            throw ValidationError("--admin-prefix is \"\(prefix)\"; it must be a path such as /mock.")
        }
    }

    /// The environment variable for the token; `--admin-token` overrides it.
    static let tokenVariable = "MOCK_APNS_ADMIN_TOKEN"

    /// The access rules of the admin API.
    var access: MockAPNSServer.AdminAccess {
        let variable = ProcessInfo.processInfo.environment[Self.tokenVariable]
        // An empty variable counts as unset.
        return MockAPNSServer.AdminAccess(
            names: names, token: token ?? (variable?.isEmpty == true ? nil : variable), prefix: prefix)
    }
}
