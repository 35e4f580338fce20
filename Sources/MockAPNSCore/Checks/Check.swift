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
