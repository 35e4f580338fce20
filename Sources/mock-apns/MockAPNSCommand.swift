import ArgumentParser
import Dispatch
import MockAPNS
import MockAPNSCore
import MockAPNSTransport

#if os(Linux)
import SystemPackage
#endif

@main
struct MockAPNSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock-apns",
        abstract: "A server that answers like the Apple Push Notification service, for tests.",
        discussion: """
            Point any provider at localhost, unmodified. The log shows what it sent, and why each push was accepted or \
            rejected. A scenario scripts failures and devices, and says how a good provider should react. --version \
            prints one line: mock-apns VERSION (OpenSSL VERSION).

            Examples:
              mock-apns serve
              mock-apns exec --scenario scenarios/tour.json -- npm test
            """,
        version: MockAPNSVersion.line,
        subcommands: [
            Serve.self, Relay.self, Exec.self, Suite.self, Probe.self, Collect.self, Verify.self, Scenarios.self,
            Check.self,
            Lint.self,
            Certs.self, Token.self, Ready.self,
        ])

    /// Runs the command named by the arguments.
    ///
    /// It is not asynchronous: on Linux the runtime would then end the main thread, for which glibc loads `libgcc_s`,
    /// but the executable must need glibc alone.
    static func main() {
        _ = ParentProcess.atStart
        OpenSSLConfiguration.skipCleanup()
        OpenSSLConfiguration.ignoreFile()
        demandProc()
        Task.detached {
            await run()
            exit()
        }
        DispatchSemaphore(value: 0).wait()
    }

    /// Ends a process without `/proc` on Linux: libdispatch looks there for its threads (`_dispatch_workq_monitor_pools`),
    /// and would end it sooner or later.
    private static func demandProc() {
        #if os(Linux)
        guard (try? FileDescriptor.open(FilePath("/proc/self/stat"), .readOnly).close()) == nil else { return }
        Messages.write("mock-apns: There is no /proc, which Swift's runtime needs; mount it: mount -t proc proc /proc")
        exit(withError: ExitCode(69))
        #endif
    }

    /// `MOCK_APNS_OPTIONS` contains options that are read before those of the command line, so that a CI job can set
    /// them for a command that it does not write itself.
    private static func run() async {
        var arguments: [String] = []
        do {
            arguments = Usage.withKnownVersion(try GivenWords.text())
            var command = try await parsed(&arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(error, arguments.first)
        }
    }

    /// Returns the command that the arguments name, with its options.
    private static func parsed(_ arguments: inout [String]) async throws -> any ParsableCommand {
        let given = arguments
        do {
            try EnvironmentOptions.insert(into: &arguments)
            CommandOptions.joinDashedValues(in: &arguments, of: Self.self)
            try Usage.check(arguments, of: Self.self)
            Suite.takeDriver(of: &arguments)
            return try await asyncParseAsRoot(arguments)
        } catch  where exitCode(for: error) == .validationFailure {
            // Looked for only now: that reads the help, a fifth of the work of a start.
            try StrayWords(given, of: Self.self)?.check()
            throw error
        }
    }

    /// Ends the process. Incorrect usage is explained in one line, followed by one that says where to read more.
    private static func end(_ error: any Error, _ subcommand: String?) -> Never {
        let code = exitCode(for: error)
        guard code == .validationFailure else {
            let text = message(for: error)
            if text.isEmpty {
                exit(withError: code)
            } else if code.isSuccess {
                Messages.result(block: text)
            } else {
                Messages.write("mock-apns: \(PrintableText.joined(text))")
            }
            exit(withError: code)
        }
        let known = configuration.subcommands.contains { $0._commandName == subcommand }
        let command = known ? "mock-apns \(subcommand ?? "")" : "mock-apns"
        let message = PrintableText.joined(ParserMessage.line(message(for: error)))
        let added = known ? EnvironmentOptions.text(for: subcommand) : nil
        let isTold = message.contains(EnvironmentOptions.name)
        let hint = isTold ? "" : added.map { " \(EnvironmentOptions.name) adds: \($0)" } ?? ""
        Messages.write("mock-apns: \(message)")
        Messages.write("See '\(command) --help'.\(hint)")
        exit(withError: ExitCode.validationFailure)
    }
}
