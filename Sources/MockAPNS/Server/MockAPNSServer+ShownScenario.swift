import MockAPNSCore
import MockAPNSScenario
import MockAPNSTransport

extension MockAPNSServer {
    /// The text of the scenario being played, safe to show: a signing key's `pem` is replaced with its public key. A
    /// server that plays this text judges provider tokens in the same way.
    package var shownScenarioText: [UInt8] {
        get async throws {
            let loaded = loaded.withLock { $0 }
            return try await BackgroundWork.run(.text(loaded.text.count)) { stop in
                JSONText.applying(try loaded.keyEdits(stop), to: loaded.text)
            }
        }
    }

    /// The same as ``shownScenarioText``, with the current rules and devices, for saving to a file.
    ///
    /// - Throws: ``OutdatedScenario`` if the scenario names a rule or a device that no longer exists.
    package var currentScenarioText: [UInt8] {
        get async throws { try await currentScenarioText { $0.rulesInForce } }
    }

    /// The same with only those rules that may still decide; with all, if the scenario names one of the others.
    ///
    /// - Parameter note: notes what else is of the same moment.
    func currentScenarioTextWithRulesLeft(_ note: (borrowing Gateway) -> Void) async throws -> [UInt8] {
        do {
            return try await currentScenarioText { gateway in
                note(gateway)
                return gateway.rulesLeft
            }
        } catch is OutdatedScenario {
            return try await currentScenarioText { gateway in
                note(gateway)
                return gateway.rulesInForce
            }
        }
    }

    private func currentScenarioText(of rules: (borrowing Gateway) -> [MockAPNSCore.Rule]) async throws -> [UInt8] {
        // Playing another scenario replaces both at once.
        let (loaded, (rules, environment, now)) = loaded.withLock { loaded in
            (
                loaded,
                engine.gateway.withLock { gateway in
                    (
                        rules(gateway), gateway.configuration.environment,
                        gateway.moment(at: WallClock.now()).clock
                    )
                }
            )
        }
        return try await BackgroundWork.run(.text(loaded.text.count)) { [self] stop in
            var current = try CurrentScenario(
                loaded.scenario, loaded.text, rules: rules, in: environment, at: now, stop)
            var position: Int? = 0
            while let from = position {
                try stop.check()
                // In chunks, so that a million devices do not hold up pushes.
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

/// Why the current scenario cannot be saved: it names something that no longer exists.
package struct OutdatedScenario: Error, CustomStringConvertible {
    let mistake: String

    /// A sentence for people.
    package var description: String { "The scenario cannot be saved in its current state: \(mistake)." }
}

extension LoadedScenario {
    /// Returns the edits that keep signing keys private.
    fileprivate func keyEdits(_ stop: CancellationCheck) throws -> [JSONText.Edit] {
        let hasKeys = scenario.keySources.joined().contains { if case .pem = $0 { true } else { false } }
        guard hasKeys else { return [] }
        let value = try JSONText.read(text, stop: stop)
        let keys = value["authentication"]?["teams"]?.array?.flatMap { $0["keys"]?.array ?? [] } ?? []
        return keys.compactMap { $0["pem"] }.map { pem in
            JSONText.Edit(JSONText.range(of: pem, in: text), Array(Self.publicHalf(of: pem).utf8))
        }
    }

    /// Returns a JSON string with the public key in PEM, whether the key is private or public.
    private static func publicHalf(of pem: JSONText.Value) -> String {
        let key = pem.string.flatMap { try? ES256PublicKey(pem: Array($0.utf8)) }
        let text = String(decoding: (try? key?.pem) ?? [], as: UTF8.self)
        // Base64 and hyphens need no escaping.
        return "\"" + text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n") + "\""
    }
}
