extension RequestRecord {
    /// Returns the state of each check that is made on a call.
    func states(ofChecksOn call: CallRecord) -> [(check: CallCheck, state: CheckReport.State)] {
        let checks = CallCheck.allCases.filter { $0.applies(to: call.call) }
        func all(_ state: CheckReport.State) -> [(check: CallCheck, state: CheckReport.State)] {
            checks.map { ($0, state) }
        }
        func states(
            first: CallCheck, last: CallCheck, _ state: CheckReport.State
        ) -> [(check: CallCheck, state: CheckReport.State)] {
            checks.map { check in
                if check.rawValue < first.rawValue { return (check, .passed) }
                return (check, check.rawValue > last.rawValue ? .notReached : state)
            }
        }
        if let failed = call.failedCheck { return states(first: failed, last: failed, .failed) }
        if case .passed = checksResult { return all(.passed) }
        switch decidedBy {
        case .connection: return all(.notReached)
        case .rule, .outage: return all(.skipped)
        case .checks, .device: break
        }
        // A recorded log does not say which check failed. If several have the reason, it was one of them.
        let suspects = reason.map { reason in checks.filter { $0.facts.reasons.contains(reason) } } ?? []
        guard let first = suspects.first, let last = suspects.last else { return all(.passed) }
        return states(first: first, last: last, suspects.count == 1 ? .failed : .skipped)
    }
}

extension RecordSubject {
    /// Returns the value that a check examines, as far as the record has it; `nil` if it is absent.
    ///
    /// - Parameter push: the parsed header fields of the record.
    func found(by check: CallCheck, _ push: borrowing Push) -> String? {
        let found: String? =
            switch check {
            case .pathIsOfACall: text(record.path)
            case .methodFitsThePath: text(record.method)
            case .requestIDIsAUUID: values(ofHeader: Array("apns-request-id".utf8)).first.map { text($0) }
            case .providerMayCall: sender(push)
            case .bundleIDHasNoSuffix, .bundleIDIsTheProviders, .broadcastIsEnabled: text(record.topic)
            case .channelIDIsGiven, .channelIDIsKnown, .channelIsRegistered: channel.id.map { text($0) }
            case .pushTypeIsGiven, .pushTypeIsLiveActivity: text(record.pushType)
            case .expirationIsGiven: text(push.expirationText)
            case .priorityIsKnownOrAbsent: text(push.priorityText)
            case .expirationSuitsThePolicy:
                policy(with: text(push.expirationText))
            case .bodyIsNotEmpty, .bodyIsNotTooLarge: "\(record.payloadBytes) bytes"
            case .bodyIsJSON, .parametersAreKnown, .parametersHaveAPushType, .parametersAreForLiveActivities:
                record.bodyCount == 0
                    ? nil : text(ByteRange(start: Int(record.headerCount), count: Int(record.bodyCount)))
            case .limitIsNotReached: nil
            }
        return shortened(found)
    }

    private func policy(with expiration: String?) -> String? {
        call?.policy.map { policy in
            "message-storage-policy: \(policy.rawValue)" + (expiration.map { ", apns-expiration: \($0)" } ?? "")
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
