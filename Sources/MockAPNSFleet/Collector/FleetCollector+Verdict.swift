import MockAPNSCore

// Whether everything that the replicas have decided is here.

extension FleetCollector {
    package func gather() async -> String? {
        let deadline = ContinuousClock.now + limits.verdict
        var mark: StreamID?
        var ends: [String: StreamID] = [:]
        repeat {
            do throws(FleetError) {
                if mark == nil {
                    mark = try await links.ask.append(
                        [("k", Array("mark".utf8))], to: keys.control, id: nil, keepingFrom: nil)
                }
                if let mark, applied >= mark, hasAnswers(to: mark) {
                    anchor.note(try await links.ask.look(for: anchor, in: keys.control), applied: applied)
                    // Those that have ended do not answer, but all that they shipped has to be here.
                    for name in Set(replicas.map(\.name)) where ends[name] == nil {
                        ends[name] = try await links.ask.lastID(of: keys.log(name))
                    }
                    if !anchor.isInDoubt, ends.allSatisfy({ positions[keys.log($0.key)] ?? .zero >= $0.value }) {
                        break
                    }
                }
            } catch {
                note(error)
            }
            try? await Task.sleep(for: .milliseconds(10))
        } while ContinuousClock.now < deadline && !isEnding
        proceed(isAll: true)
        latestGap = gap(after: mark)
        return allowsMissing ? nil : latestGap
    }

    /// Whether every replica that lives has shipped what it had decided at a mark.
    func hasAnswers(to mark: StreamID) -> Bool {
        replicas.allSatisfy { $0.state != .alive || $0.mark >= mark }
    }

    func gap(after mark: StreamID?) -> String? {
        guard let mark else { return "the engine of the fleet does not answer" }
        // What is not read may say that there are more replicas.
        guard applied >= mark || anchor.isLost else {
            return "not everything that the engine of the fleet has was read in time"
        }
        guard !replicas.isEmpty || anchor.isLost else { return "no replica has joined the fleet \(keys.fleet)" }
        let gaps = (anchor.isLost ? [ControlAnchor.loss] : []) + replicas.compactMap { $0.gap(after: mark) }
        return gaps.isEmpty ? nil : gaps.joined(separator: "; ")
    }
}
