extension Check: OrderedCheck {
    /// Made once: `allCases` makes an array each time.
    private static let inOrder = allCases

    @inline(__always)
    static func made(on call: BroadcastCall?) -> [Self] { inOrder }

    /// The same as for any list, but with each check inlined, where the common loop calls it: every push goes through
    /// this.
    @inline(__always)
    static func firstRejection(
        of request: inout RequestContext, by rules: borrowing GatewayConfiguration, _ state: borrowing ServiceState
    ) -> Rejection? {
        for check in inOrder {
            if var rejection = check.rejection(of: &request, by: rules, state) {
                rejection.check = check.rawValue
                return rejection
            }
        }
        return nil
    }

    @inline(__always)
    func rejection(
        of request: inout RequestContext, by rules: borrowing GatewayConfiguration, _ state: borrowing ServiceState
    ) -> Rejection? {
        switch self {
        case .methodIsPOST: request.methodIsPOST()
        case .pathIsOfADevice: request.pathIsOfADevice()
        case .noFieldIsRepeated: request.noFieldIsRepeated()
        case .apnsIDIsAUUID: request.apnsIDIsAUUID()
        case .providerMayPush: request.providerMayPush()
        case .topicIsGiven: request.topicIsGiven()
        case .topicIsWellFormed: request.topicIsWellFormed()
        case .topicIsAllowed: request.topicIsAllowed(by: rules)
        case .deviceTokenIsGiven: request.deviceTokenIsGiven()
        case .payloadIsNotEmpty: request.payloadIsNotEmpty()
        case .payloadIsNotTooLarge: request.payloadIsNotTooLarge()
        case .payloadIsJSON: request.payloadIsJSON(by: rules)
        case .expirationIsAnInteger: request.expirationIsAnInteger()
        case .priorityIsKnown: request.priorityIsKnown()
        case .backgroundHasNotPriority10: request.backgroundHasNotPriority10(by: rules)
        case .collapseIDIsShort: request.collapseIDIsShort()
        case .pushTypeIsKnown: request.pushTypeIsKnown()
        case .pushTypeSuitsVoIP: request.pushTypeSuitsVoIP()
        case .deviceTokenIsWellFormed: request.deviceTokenIsWellFormed()
        case .deviceIsKnown: request.deviceIsKnown(by: rules)
        case .deviceIsOfTheEnvironment: request.deviceIsOfTheEnvironment()
        case .topicHasTheSuffixOfItsType: request.topicHasTheSuffixOfItsType()
        case .topicIsTheDevices: request.topicIsTheDevices(in: state)
        case .deviceIsRegistered: request.deviceIsRegistered()
        case .deviceTokenHasNotExpired: request.deviceTokenHasNotExpired()
        }
    }
}
