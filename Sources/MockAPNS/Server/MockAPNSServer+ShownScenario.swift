import MockAPNSCore
import MockAPNSTransport

extension MockAPNSServer {
    /// The text of the scenario that is played as others may see it: of each signing key whose `pem` is in it, the public
    /// half stands there. A server that plays this text judges provider tokens as this one does.
    package var shownScenarioText: [UInt8] {
        get async throws {
            let loaded = loaded.withLock { $0 }
            return try await Slices.apart(.text(loaded.text.count)) { try loaded.shownText($0) }
        }
    }
}

extension LoadedScenario {
    fileprivate func shownText(_ stop: StopCheck) throws -> [UInt8] {
        let hasKeys = scenario.keySources.joined().contains { if case .pem = $0 { true } else { false } }
        guard hasKeys else { return text }
        let value = try JSONText.read(text, stop: stop)
        let keys = value["authentication"]?["teams"]?.array?.flatMap { $0["keys"]?.array ?? [] } ?? []
        var shown: [UInt8] = []
        var end = 0
        for pem in keys.compactMap({ $0["pem"] }).sorted(by: { $0.offset < $1.offset }) {
            shown += text[end..<pem.offset]
            shown += Self.publicHalf(of: pem).utf8
            end = endOfString(at: pem.offset)
        }
        return shown + text[end...]
    }

    /// A JSON string with the public half in PEM; of a public key that key.
    private static func publicHalf(of pem: JSONText.Value) -> String {
        let key = pem.string.flatMap { try? ES256PublicKey(pem: Array($0.utf8)) }
        let text = String(decoding: (try? key?.pem) ?? [], as: UTF8.self)
        // Base64 and hyphens need no escape.
        return "\"" + text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n") + "\""
    }

    /// The offset after a string's closing quotation mark.
    private func endOfString(at offset: Int) -> Int {
        var index = offset + 1
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, text.count)
    }
}
