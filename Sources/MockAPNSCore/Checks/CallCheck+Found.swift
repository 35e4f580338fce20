extension CallCheck {
    func found(in subject: borrowing RecordSubject, _ push: borrowing Push) -> String? {
        let record = subject.record
        switch self {
        case .pathIsOfACall: return subject.text(record.path)
        case .methodFitsThePath: return subject.text(record.method)
        case .requestIDIsAUUID:
            return subject.values(ofHeader: Array("apns-request-id".utf8)).first.map { Self.text($0) }
        case .providerMayCall: return subject.sender(push)
        case .bundleIDHasNoSuffix, .bundleIDIsTheProviders, .broadcastIsEnabled: return subject.text(record.topic)
        case .channelIDIsGiven, .channelIDIsKnown, .channelIsRegistered:
            return subject.channel.id.map { Self.text($0) }
        case .pushTypeIsGiven, .pushTypeIsLiveActivity: return subject.text(record.pushType)
        case .expirationIsGiven: return subject.text(push.expirationText)
        case .priorityIsKnownOrAbsent: return subject.text(push.priorityText)
        case .expirationSuitsThePolicy:
            let expiration = subject.text(push.expirationText).map { ", apns-expiration: \($0)" } ?? ""
            return subject.call?.policy.map { "message-storage-policy: \($0.code)" + expiration }
        case .bodyIsNotEmpty, .bodyIsNotTooLarge: return "\(record.payloadBytes) bytes"
        case .bodyIsJSON, .parametersAreKnown, .parametersHaveAPushType, .parametersAreForLiveActivities:
            return subject.storedBody
        case .limitIsNotReached: return nil
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
