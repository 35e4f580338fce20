import MockAPNSCore
import MockAPNSTransport

extension MockAPNSServer {
    /// The text of the scenario that is played as others may see it: of each signing key whose `pem` is in it, the public
    /// half stands there. A server that plays this text judges provider tokens as this one does.
    package var shownScenarioText: [UInt8] {
        get async throws {
            let loaded = loaded.withLock { $0 }
            return try await Slices.apart(.text(loaded.text.count)) { stop in
                JSONText.applying(try loaded.keyEdits(stop), to: loaded.text)
            }
        }
    }

    /// As ``shownScenarioText``, with the rules and the devices as they are now, to be kept as a file.
    ///
    /// - Throws: ``OutdatedScenario`` when the scenario names a rule or a device that is not there any more.
    package var currentScenarioText: [UInt8] {
        get async throws {
            // Whoever plays another scenario replaces both at once.
            let (loaded, (rules, environment, now)) = loaded.withLock { loaded in
                (
                    loaded,
                    engine.gateway.withLock { gateway in
                        (
                            gateway.rulesInForce, gateway.configuration.environment,
                            gateway.moment(at: WallClock.now()).clock
                        )
                    }
                )
            }
            return try await Slices.apart(.text(loaded.text.count)) { [self] stop in
                var current = try CurrentScenario(
                    loaded.scenario, loaded.text, rules: rules, in: environment, at: now, stop)
                var position: Int? = 0
                while let from = position {
                    try stop.check()
                    // In pieces, so that pushes are not held up by a million devices.
                    let (devices, next) = engine.gateway.withLock { $0.declaredDevices(from: from) }
                    current.take(devices)
                    position = next
                }
                let (edits, mistakes) = current.edits(
                    trustedKeyIDs: configuration.trustedKeys.map(\.keyID), stop)
                try stop.check()
                guard let edits else { throw OutdatedScenario(mistake: mistakes.first?.message ?? "") }
                return JSONText.applying(edits + (try loaded.keyEdits(stop)), to: loaded.text)
            }
        }
    }
}

/// Why a scenario cannot be kept as it is now: something in it names what is not there any more.
package struct OutdatedScenario: Error, CustomStringConvertible {
    let mistake: String

    /// The sentence for people.
    package var description: String { "The scenario cannot be kept as it is now: \(mistake)." }
}

extension LoadedScenario {
    /// What has to be changed for signing keys to stay private.
    fileprivate func keyEdits(_ stop: StopCheck) throws -> [JSONText.Edit] {
        let hasKeys = scenario.keySources.joined().contains { if case .pem = $0 { true } else { false } }
        guard hasKeys else { return [] }
        let value = try JSONText.read(text, stop: stop)
        let keys = value["authentication"]?["teams"]?.array?.flatMap { $0["keys"]?.array ?? [] } ?? []
        return keys.compactMap { $0["pem"] }.map { pem in
            JSONText.Edit(JSONText.range(of: pem, in: text), Array(Self.publicHalf(of: pem).utf8))
        }
    }

    /// A JSON string with the public half in PEM; of a public key that key.
    private static func publicHalf(of pem: JSONText.Value) -> String {
        let key = pem.string.flatMap { try? ES256PublicKey(pem: Array($0.utf8)) }
        let text = String(decoding: (try? key?.pem) ?? [], as: UTF8.self)
        // Base64 and hyphens need no escape.
        return "\"" + text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n") + "\""
    }
}
