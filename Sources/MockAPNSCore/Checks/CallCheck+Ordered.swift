extension CallCheck: OrderedCheck {
    static func made(on call: BroadcastCall?) -> [Self] { allCases.filter { $0.applies(to: call) } }

    func rejection(
        of request: inout RequestContext, by rules: borrowing GatewayConfiguration, _ state: borrowing ServiceState
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
