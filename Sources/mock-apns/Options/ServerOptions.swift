public import ArgumentParser
public import MockAPNS
import MockAPNSCore
import SystemPackage

/// The help texts that differ between the commands that run a server.
protocol ServerHelp: Sendable {
    static var defaultPort: Int { get }
    static var defaultAdminPort: Int { get }
    static var log: String { get }
}

extension ServerHelp {
    /// The port in words; 0 is any free one.
    fileprivate static func words(_ port: Int) -> String { port == 0 ? "any free one" : "\(port)" }
}

/// The help texts of `serve` and `relay`.
enum ServeHelp: ServerHelp {
    static let defaultPort = 2197
    static let defaultAdminPort = 2198
    static let log = "Append each record as a JSON line to this file; - is standard output. SIGUSR1 reopens it."
}

/// The options of the commands that run a server.
struct ServerOptions<Help: ServerHelp>: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Play this scenario: scripted failures, devices, a clock, expectations. A file, or the name of a built-in one such as tour. Options override it.",
            valueName: "file|name"), completion: .file(extensions: ["json"]), transform: NonemptyOption.read)
    var scenario: String?

    @Option(help: "The address of both listeners. (default: 127.0.0.1, and ::1 where the machine has it)")
    var host: String?

    @Option(
        name: .customLong("port"), parsing: .singleValue,
        help: ArgumentHelp(
            "A provider port (TLS, HTTP/2); repeatable; 0 takes any free one. (default: \(Help.words(Help.defaultPort)))",
            valueName: "port"), transform: NumberOption.port)
    var ports: [UInt16] = []

    @Option(
        name: .customLong("manage-port"), parsing: .singleValue,
        help: ArgumentHelp(
            "A port for broadcast channels, with an environment if it is not the server's; repeatable; 0 takes any free one. Apple has 2195:sandbox and 2196:production. (default: none; provider ports serve channels too)",
            valueName: "port[:environment]"), transform: Self.managementPort)
    var managementPorts: [Configuration.ManagementPort] = []

    @Option(
        help: ArgumentHelp(
            "The admin port (HTTP/1.1); 0 takes any free one. (default: \(Help.words(Help.defaultAdminPort)))",
            valueName: "admin-port"), transform: NumberOption.port)
    var adminPort: UInt16?

    @Option(
        help: ArgumentHelp(
            "The port of a proxy (HTTP CONNECT, on this machine alone) for providers whose host is fixed: Apple's hosts of APNs and each --server-name lead to this server, no other host to anywhere; 0 takes any free one. (default: none)",
            valueName: "proxy-port"), transform: NumberOption.port)
    var proxyPort: UInt16?

    @Option(help: "The address of the admin listener. (default: as --host)")
    var adminHost: String?

    @OptionGroup var admin: AdminOptions

    @Option(
        help: ArgumentHelp("The folder of certificates and keys; missing ones are created.", valueName: "dir"),
        completion: .directory, transform: NonemptyOption.read)
    var certs = "certs"

    @Option(
        name: .customLong("server-name"), parsing: .singleValue,
        help: ArgumentHelp("Another name in the server's certificate; repeatable.", valueName: "name"))
    var serverNames: [String] = []

    @Option(
        name: .customLong("topic"), parsing: .singleValue,
        help: ArgumentHelp(
            "A topic of the client certificate, client.pem; repeatable. Examples use the first. (default: those it has, or com.example.app, and the scenario's)",
            valueName: "topic"))
    var topics: [String] = []

    @Option(
        help: ArgumentHelp(
            "The provider ports for sessions that ask for none, such as 2300-2399 in a container. (default: any free ones)",
            valueName: "first-last"), transform: Self.sessionPorts)
    var sessionPorts: ClosedRange<Int>?

    @Option(help: ArgumentHelp("\(Help.log)", valueName: "file"), completion: .file(), transform: NonemptyOption.read)
    var log: String?

    @Option(
        help:
            "The number of requests kept in memory; older ones are dropped and counted. With --fleet, as many other events are kept, too. (default: \(GatewayConfiguration.defaultLogLimit))",
        transform: NumberOption.reader(of: 1...Int.max))
    var logLimit = GatewayConfiguration.defaultLogLimit

    @Option(
        help: "The number of event loops, 1 to 64. (default: 1)", transform: NumberOption.reader(of: 1...64))
    var threads = 1

    @Option(
        help:
            "The APNs environment to play; serverName: production for a client that names a production host of Apple, such as api.push.apple.com. (default: the scenario's, or sandbox)"
    )
    var environment: Configuration.Environment?

    @Option(
        help: ArgumentHelp(
            "Streams that a connection may open before its first valid provider token; load generators need about 1000. (default: 1)",
            valueName: "n"), transform: NumberOption.reader(of: 1...Int.max))
    var initialStreams: Int?

    @Option(
        name: .customLong("trust-key"), parsing: .singleValue,
        help: ArgumentHelp(
            "A signing key of your own (PEM, private or public half), its key id and team id; repeatable.",
            valueName: "file:keyid:teamid"), completion: .file(), transform: Self.trustedKey)
    var trustedKeys: [TrustedKey] = []

    @Option(
        help:
            "How to check provider tokens: verify everything, decode without verifying the signature, or none. (default: verify; of a relay: decode)"
    )
    var auth: Configuration.Authentication?

    @Flag(help: "Print more on standard error: why requests were rejected, how connections ended.")
    var verbose = false

    @Flag(help: "Print only errors.")
    var quiet = false

    mutating func validate() throws {
        try HostOption.check(host, "--host")
        try HostOption.check(adminHost, "--admin-host")
        try HostOption.check(serverNames: serverNames)
        for topic in topics { try TopicOption.check(topic) }
        if verbose && quiet { throw ValidationError("--verbose and --quiet contradict each other; give one of them.") }
    }

    private static func managementPort(_ text: String) throws -> Configuration.ManagementPort {
        if let port = Configuration.ManagementPort(option: text) { return port }
        throw ValidationError(
            "a port from 0 to 65535, alone or with an environment, as in 2195:sandbox or 2196:production.")
    }

    private static func sessionPorts(_ text: String) throws -> ClosedRange<Int> {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
        guard parts.count == 2, let first = parts[0], let last = parts[1], first > 0, first <= last else {
            throw ValidationError("two ports, the lower one first, as in 2300-2399.")
        }
        return Int(first)...Int(last)
    }

    /// Reads `FILE:KEYID:TEAMID`, or says what is missing.
    private static func trustedKey(_ text: String) throws -> TrustedKey {
        if let key = TrustedKey(option: text) { return key }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let last = max(1, parts.count - 2)
        let given = [parts.prefix(last).joined(separator: ":")] + parts.dropFirst(last)
        let words = [("file", "file"), ("key id", "ABC123DEFG"), ("team id", "DEF123GHIJ")]
        var (missing, whole) = ([String](), [String]())
        for (index, (what, example)) in words.enumerated() {
            let part = index < given.count ? given[index] : ""
            if part.isEmpty { missing.append("the \(what)") }
            whole.append(part.isEmpty ? example : part)
        }
        // Apple names the file of a key after its id.
        let stem = FilePath(whole[0]).stem ?? ""
        if stem.hasPrefix("AuthKey_"), given.count < 2 || given[1].isEmpty { whole[1] = String(stem.dropFirst(8)) }
        let verb = missing.count == 1 ? "is" : "are"
        throw ValidationError(
            "\(missing.joined(separator: " and ")) \(verb) missing, as in \(whole.joined(separator: ":")).")
    }

    /// The admin port, 0 for any free one.
    var portOfAdmin: Int { adminPort.map(Int.init) ?? Help.defaultAdminPort }

    /// Returns the server's configuration.
    func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.scenario = scenario.map { .named($0) }
        configuration.host = host
        configuration.ports = ports.isEmpty ? [Help.defaultPort] : ports.map(Int.init)
        configuration.managementPorts = managementPorts
        configuration.certificates = FilePath(certs)
        configuration.serverNames = serverNames
        configuration.topics = topics
        configuration.trustedKeys = trustedKeys
        if let auth { configuration.authentication = auth }
        if let environment { configuration.environment = environment }
        if let initialStreams { configuration.initialStreams = initialStreams }
        configuration.log = log.map { $0 == "-" ? .standardOutput : .file(FilePath($0)) }
        configuration.logLimit = logLimit
        configuration.threads = threads
        configuration.sessionPorts = sessionPorts
        return configuration
    }
}

extension Configuration.Authentication: ExpressibleByArgument {}

extension Configuration.Environment: ExpressibleByArgument {
    /// Parses the name of an environment; `development` is Apple's older name for the sandbox.
    public init?(argument: String) {
        self.init(rawValue: argument == "development" ? "sandbox" : argument)
    }
}
