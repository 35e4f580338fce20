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
}

// MARK: The function of each check

extension Check: OrderedCheck {
    /// Made once: `allCases` makes an array each time.
    private static let inOrder = allCases

    @inline(__always)
    static func made(on call: BroadcastCall?) -> [Self] { inOrder }

    /// The same as for any list, but with each check inlined, where the common loop calls it: every push goes through
    /// this.
    @inline(__always)
    static func firstRejection(
        of request: inout RequestContext, by rules: borrowing GatewayConfiguration, _ state: inout ServiceState
    ) -> Rejection? {
        for check in inOrder {
            if var rejection = check.rejection(of: &request, by: rules, &state) {
                rejection.check = check.rawValue
                return rejection
            }
        }
        return nil
    }

    @inline(__always)
    func rejection(
        of request: inout RequestContext, by rules: borrowing GatewayConfiguration, _ state: inout ServiceState
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
        case .topicIsTheDevices: request.topicIsTheDevices(in: &state)
        case .deviceIsRegistered: request.deviceIsRegistered()
        case .deviceTokenHasNotExpired: request.deviceTokenHasNotExpired()
        }
    }
}

// MARK: The value that each check examines

extension Check {
    func found(in subject: borrowing RecordSubject, _ push: borrowing Push) -> String? {
        let record = subject.record
        switch self {
        case .methodIsPOST: return subject.text(record.method)
        case .pathIsOfADevice: return subject.text(record.path)
        case .noFieldIsRepeated:
            guard let repeated = push.repeated else { return nil }
            return "\(repeated.name.name): \(subject.text(repeated.value))"
        case .apnsIDIsAUUID: return subject.text(push.apnsIDText)
        case .providerMayPush: return subject.sender(push)
        case .topicIsGiven, .topicIsWellFormed, .topicIsAllowed, .topicIsTheDevices: return subject.text(record.topic)
        case .payloadIsNotEmpty, .payloadIsNotTooLarge: return "\(record.payloadBytes) bytes"
        case .payloadIsJSON: return subject.storedBody
        case .expirationIsAnInteger: return subject.text(push.expirationText)
        case .priorityIsKnown: return subject.text(push.priorityText)
        case .backgroundHasNotPriority10:
            return subject.fields(("apns-priority", push.priorityText), ("apns-push-type", record.pushType))
        case .collapseIDIsShort: return subject.text(record.collapseID)
        case .pushTypeIsKnown: return subject.text(record.pushType)
        case .pushTypeSuitsVoIP, .topicHasTheSuffixOfItsType:
            return subject.fields(("apns-push-type", record.pushType), ("apns-topic", record.topic))
        case .deviceTokenIsGiven, .deviceTokenIsWellFormed, .deviceIsKnown, .deviceIsOfTheEnvironment,
            .deviceIsRegistered, .deviceTokenHasNotExpired:
            guard let token = record.token, !token.isEmpty else { return nil }
            return subject.text(token)
        }
    }
}
