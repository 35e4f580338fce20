/// The checks that APNs makes on a call about broadcast channels, in order: the first failure decides.
///
/// Of the order, only "authentication, then channel, then delivery" is documented. The rest is a guess.
package enum CallCheck: UInt8, Sendable, CaseIterable {
    case pathIsOfACall
    case methodFitsThePath
    case requestIDIsAUUID
    case providerMayCall
    case bundleIDHasNoSuffix
    case bundleIDIsTheProviders
    case broadcastIsEnabled
    case channelIDIsGiven
    case channelIDIsKnown
    case pushTypeIsGiven
    case pushTypeIsLiveActivity
    case expirationIsGiven
    case priorityIsKnownOrAbsent
    case channelIsRegistered
    case expirationSuitsThePolicy
    case bodyIsNotEmpty
    case bodyIsNotTooLarge
    case bodyIsJSON
    case parametersAreKnown
    case parametersHaveAPushType
    case parametersAreForLiveActivities
    case limitIsNotReached
}

// MARK: The function of each check

extension CallCheck: OrderedCheck {
    static func made(on call: BroadcastCall?) -> [Self] { allCases.filter { $0.applies(to: call) } }

    func rejection(
        of request: inout RequestContext, by rules: borrowing GatewayConfiguration, _ state: inout ServiceState
    ) -> Rejection? {
        guard let call = request.call else { return nil }
        return switch self {
        case .pathIsOfACall: request.pathIsOfACall(call)
        case .methodFitsThePath: request.methodFitsThePath(call)
        case .requestIDIsAUUID: request.requestIDIsAUUID(call)
        case .providerMayCall: request.credentials.rejection
        case .bundleIDHasNoSuffix: request.bundleIDHasNoSuffix()
        case .bundleIDIsTheProviders: request.bundleIDIsTheProviders(call, by: rules)
        case .broadcastIsEnabled: request.broadcastIsEnabled(by: rules)
        case .channelIDIsGiven: request.channelIDIsGiven(call)
        case .channelIDIsKnown: request.channelIDIsKnown(call, by: rules.broadcast, state.channels)
        case .pushTypeIsGiven: request.pushTypeIsGiven()
        case .pushTypeIsLiveActivity: request.pushTypeIsLiveActivity()
        case .expirationIsGiven: request.expirationIsGiven()
        case .priorityIsKnownOrAbsent: request.priorityIsKnown()
        case .channelIsRegistered: request.channelIsRegistered(call, by: rules.broadcast)
        case .expirationSuitsThePolicy: request.expirationSuitsThePolicy(call, by: rules.broadcast)
        case .bodyIsNotEmpty: request.bodyIsNotEmpty()
        case .bodyIsNotTooLarge: request.bodyIsNotTooLarge()
        case .bodyIsJSON: request.bodyIsJSON(call)
        case .parametersAreKnown: request.parametersAreKnown(call)
        case .parametersHaveAPushType: request.parametersHaveAPushType()
        case .parametersAreForLiveActivities: request.parametersAreForLiveActivities()
        case .limitIsNotReached: request.limitIsNotReached(by: rules.broadcast, state.channels)
        }
    }

    /// Returns whether the check is made on a call; `nil` means a request whose path or method fits no call.
    private func applies(to call: BroadcastCall?) -> Bool {
        switch self {
        case .pathIsOfACall, .methodFitsThePath, .requestIDIsAUUID, .providerMayCall, .bundleIDHasNoSuffix,
            .bundleIDIsTheProviders, .broadcastIsEnabled:
            true
        case .channelIDIsGiven, .channelIDIsKnown: call?.namesChannel ?? false
        case .pushTypeIsGiven, .pushTypeIsLiveActivity, .expirationIsGiven, .priorityIsKnownOrAbsent,
            .expirationSuitsThePolicy:
            call == .publish
        case .channelIsRegistered: call?.namesChannel ?? false
        case .bodyIsNotEmpty, .bodyIsNotTooLarge, .bodyIsJSON: call?.hasBody ?? false
        case .parametersAreKnown, .parametersHaveAPushType, .parametersAreForLiveActivities, .limitIsNotReached:
            call == .create
        }
    }
}

// MARK: The value that each check examines

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
