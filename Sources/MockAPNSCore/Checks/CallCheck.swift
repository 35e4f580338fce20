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
