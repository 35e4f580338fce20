import MockAPNS
import MockAPNSAdmin
import MockAPNSCore

/// The text for people that a server prints when all its listeners are open.
struct Banner {
    let text: String

    /// - Parameters:
    ///   - ready: the server's addresses and files.
    ///   - server: the server.
    ///   - scenario: the scenario played, if a file was given.
    ///   - asksForToken: whether the admin listener requires a token.
    ///   - hasPage: whether the admin listener serves the page.
    ///   - partners: the other servers that it works with, each with what it is to this one.
    init(
        _ ready: ReadyLine, of server: MockAPNSServer, scenario: Scenario?, asksForToken: Bool = false,
        hasPage: Bool = true, partners: KeyValuePairs<String, String> = [:]
    ) {
        let device =
            scenario?.devices.first?.token.hex ?? "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
        let isEverywhere = HostText.isEveryAddress(server.configuration.host)
        text = """

            mock-apns \(MockAPNSVersion.text) is ready.
              providers  \(ready.apns)   HTTP/2 and TLS; trust \(PrintableText.line(ready.certificateAuthority))\(Self.channels(ready))\(Self.proxy(ready))
              admin      \(ready.admin)   requests at \(APICall.listRequests.path), totals at \(APICall.summary.path)\(asksForToken ? "; requires the token" : "")\(hasPage ? "\n  page       \(ready.admin)/ui/   pushes, devices and faults, in the browser" : "")
              identity   key \(ready.keyID), team \(ready.teamID), topic \(PrintableText.line(ready.topic)), seed \(ready.seed)
            \(partners.map { "  \($0)   \(PrintableText.line($1))\n" }.joined())\(scenario.map { "  scenario   \(PrintableText.line($0.inShort))\n" } ?? "")
            \(server.configuration.relay != nil ? Self.pushToRelay(ready) : isEverywhere ? Self.pushFromElsewhere(to: device, ready, server, asksForToken) : Self.push(to: device, ready))

            """
    }

    /// Returns a line for the ports on which channels are managed as at Apple; nothing if there are none.
    private static func channels(_ ready: ReadyLine) -> String {
        if ready.manage.isEmpty { return "" }
        let ports = zip(ready.manage, ready.manageEnvironments).map { "\($0) (\($1))" }
        return "\n  channels   \(ports.joined(separator: ", "))"
    }

    /// Returns a line for the proxy; nothing if there is none.
    private static func proxy(_ ready: ReadyLine) -> String {
        ready.proxy.map { "\n  proxy      \($0)   leads Apple's hosts of APNs here, by HTTP CONNECT" } ?? ""
    }

    /// Returns a first push for a user with access to the server's files and this command.
    private static func push(to device: String, _ ready: ReadyLine) -> String {
        let command = quoted(CommandLine.arguments[0])
        // A key written in the scenario has no file: its owner makes the token.
        let token = ready.signingKey.map { "$(\(command) token \(signing(ready, with: $0)))" } ?? "$TOKEN"
        return """
            A first push:
              curl --http2 --cacert \(quoted(ready.certificateAuthority)) -H "authorization: bearer \(token)" \\
                   -H "apns-topic: \(PrintableText.line(ready.topic))" -H "apns-push-type: alert" -d '{"aps":{"alert":"Hello"}}' \\
                   -w '%{http_code}\\n' \(ready.apns)/3/device/\(device)
            """
    }

    /// Returns a first push for a user with a key and a device of the upstream, which are none of the server's.
    private static func pushToRelay(_ ready: ReadyLine) -> String {
        let command = quoted(CommandLine.arguments[0])
        return """
            A first push, with your own key, topic and device:
              TOKEN=$(\(command) token --key AuthKey_$KEY_ID.p8 --key-id $KEY_ID --team-id $TEAM_ID)
              curl --http2 --cacert \(quoted(ready.certificateAuthority)) -H "authorization: bearer $TOKEN" \\
                   -H "apns-topic: $TOPIC" -H "apns-push-type: alert" -d '{"aps":{"alert":"Hello"}}' \\
                   -w '%{http_code}\\n' \(ready.apns)/3/device/$DEVICE_TOKEN
            """
    }

    /// Returns a first push for a client outside the server's container, or on another machine, with access to neither.
    private static func pushFromElsewhere(
        to device: String, _ ready: ReadyLine, _ server: MockAPNSServer, _ asksForToken: Bool
    ) -> String {
        let token = asksForToken ? #"-H "Authorization: Bearer $MOCK_APNS_ADMIN_TOKEN" "# : ""
        return """
            It listens on every address. A first push from here, or from elsewhere with this host's name instead of 127.0.0.1:
              curl -fsS \(token)'\(ready.admin)\(APICall.identity.path)?format=shell' -o mock-apns.env && . ./mock-apns.env
              curl --http2 --cacert "$MOCK_APNS_CA" --cert "$MOCK_APNS_CLIENT_CERT" --key "$MOCK_APNS_CLIENT_KEY" \\
                   -H "apns-topic: \(PrintableText.line(server.certificateTopic))" -H "apns-push-type: alert" -d '{"aps":{"alert":"Hello"}}' \\
                   -w '%{http_code}\\n' "$MOCK_APNS_URL/3/device/\(device)"
            """
    }

    /// Returns the options with which `token` signs for that server.
    private static func signing(_ ready: ReadyLine, with key: String) -> String {
        if ready.keyID == Identity.defaultKeyID, ready.teamID == Identity.defaultTeamID,
            key == ready.certificateFolder + "/AuthKey_\(ready.keyID).p8"
        {
            return "--certs \(quoted(ready.certificateFolder))"
        }
        return "--key \(quoted(key)) --key-id \(ready.keyID) --team-id \(ready.teamID)"
    }
}

/// Quotes a word for a shell, if needed. What is not printable is shown as an escape, which no shell reads.
private func quoted(_ word: String) -> String {
    let isPlain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "/._-+:@%".contains($0) }
    if isPlain { return word }
    let parts = PrintableText.line(word).split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: "'\\''") + "'"
}

extension Scenario {
    /// The scenario's name, and how many items of each kind it has.
    fileprivate var inShort: String {
        let parts = [
            (devices.count, "device"), (rules.count, "rule"), (timeline.count, "timeline entry"),
            (expectations.count, "expectation"),
        ]
        let counted = parts.filter { $0.0 > 0 }.map { count, what in
            "\(count) " + (count == 1 ? what : what == "timeline entry" ? "timeline entries" : what + "s")
        }
        let clock = clock.isManual ? ["a clock moved by \(APICall.advanceClock)"] : []
        return [name ?? "without a name", (counted + clock).joined(separator: ", ")].filter { !$0.isEmpty }
            .joined(separator: ": ")
    }
}
