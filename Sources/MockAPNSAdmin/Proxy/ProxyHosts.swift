import MockAPNS
import MockAPNSCore
import NIOHTTP1

/// The hosts that a proxy lets providers reach: Apple's for APNs, and those of the server's certificate that options name.
struct ProxyHosts: Sendable {
    private let names: Set<String>

    init(serverNames: [String]) { names = Set((Identity.namesOfAPNs + serverNames).map { $0.lowercased() }) }

    /// Returns why the target of a `CONNECT` is not reached, as a sentence; `nil` if it is.
    ///
    /// - Parameter target: a host with a port; see [RFC 9110, 9.3.6](https://www.rfc-editor.org/rfc/rfc9110#name-connect).
    func refusal(of target: String) -> (status: HTTPResponseStatus, sentence: String)? {
        guard let colon = target.lastIndex(of: ":"), Self.isPort(target[target.index(after: colon)...]) else {
            return (
                .badRequest,
                "The target is \(Self.quoted(target)); expected a host and a port, as in api.push.apple.com:443."
            )
        }
        var host = target[..<colon].lowercased()
        // The same name, fully qualified.
        if host.hasSuffix(".") { host.removeLast() }
        if names.contains(host) { return nil }
        return (
            .forbidden,
            "\(Self.quoted(host)) is no host of APNs. This proxy leads to mock-apns alone: by CONNECT to \(Identity.namesOfAPNs[0]) and Apple's other hosts of APNs, or to a name given with --server-name."
        )
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt16(text) != nil
    }

    private static func quoted(_ text: some StringProtocol) -> String {
        "\"\(PrintableText.line(String(text.prefix(80))))\""
    }
}
