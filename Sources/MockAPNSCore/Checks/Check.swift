/// The checks that APNs makes on a push, in order: the first failure decides.
///
/// This list defines the behavior. There is little hard evidence for the order: method first, authorization before
/// topic and token, topic before token. The rest is what is most likely.
package enum Check: UInt8, Sendable, CaseIterable {
    case methodIsPOST
    case pathIsOfADevice
    case noFieldIsRepeated
    case apnsIDIsAUUID
    case providerMayPush
    case topicIsGiven
    case topicIsWellFormed
    case topicIsAllowed
    case deviceTokenIsGiven
    case payloadIsNotEmpty
    case payloadIsNotTooLarge
    case payloadIsJSON
    case expirationIsAnInteger
    case priorityIsKnown
    case backgroundHasNotPriority10
    case collapseIDIsShort
    case pushTypeIsKnown
    case pushTypeSuitsVoIP
    case deviceTokenIsWellFormed
    case deviceIsKnown
    case deviceIsOfTheEnvironment
    case topicHasTheSuffixOfItsType
    case topicIsTheDevices
    case deviceIsRegistered
    case deviceTokenHasNotExpired

    /// Made once: `allCases` makes an array each time.
    private static let inOrder = allCases

    /// Returns the refusal of the first check that fails; `nil` for a valid push.
    @inline(__always)
    static func firstRefusal(
        of request: inout RequestContext, by rules: borrowing GatewayConfiguration,
        _ devices: borrowing DeviceRegistry
    ) -> Refusal? {
        for check in inOrder {
            if var refusal = check.refusal(of: &request, by: rules, devices) {
                refusal.check = check
                return refusal
            }
        }
        return nil
    }

    /// Returns the refusal of this check, if it fails.
    @inline(__always)
    func refusal(
        of request: inout RequestContext, by rules: borrowing GatewayConfiguration,
        _ devices: borrowing DeviceRegistry
    ) -> Refusal? {
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
        case .topicIsTheDevices: request.topicIsTheDevices(among: devices)
        case .deviceIsRegistered: request.deviceIsRegistered()
        case .deviceTokenHasNotExpired: request.deviceTokenHasNotExpired()
        }
    }
}

/// Why a check failed.
struct Refusal {
    var reason: Reason
    var explanation: Explanation
    /// The time since which the device token has been invalid; with status 410.
    var timestamp: Timestamp?
    /// The check that failed; `nil` for a refusal after the checks.
    var check: Check?

    init(_ reason: Reason, _ explanation: Explanation, timestamp: Timestamp? = nil) {
        self.reason = reason
        self.explanation = explanation
        self.timestamp = timestamp
    }
}
