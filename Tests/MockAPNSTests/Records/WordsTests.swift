import MockAPNSCore
import TestSupport
import Testing

@testable import MockAPNS

private typealias Library = MockAPNSServer

/// Whether the library has a name for each word of a scenario and a record, and for no other.
@Suite struct WordsTests {
    @Test func everyReasonHasAName() {
        let named: [Library.Reason] = [
            .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
            .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken,
            .missingTopic, .payloadEmpty, .topicDisallowed, .badCertificate, .badCertificateEnvironment,
            .expiredProviderToken, .forbidden, .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken,
            .badEnvironmentKeyInToken, .badEnvironmentKeyIDInToken, .badPath, .methodNotAllowed, .expiredToken,
            .unregistered, .payloadTooLarge, .tooManyProviderTokenUpdates, .tooManyRequests, .internalServerError,
            .serviceUnavailable, .shutdown, .broadcastFeatureNotEnabled, .featureNotEnabled, .missingChannelID,
            .badChannelID, .channelNotRegistered, .badRequestParams, .badRequestPayload, .missingPushType,
            .cannotCreateChannelConfig, .topicMismatch,
        ]
        #expect(named == Library.Reason.allCases)
        #expect(named.map(\.rawValue) == MockAPNSCore.Reason.allCases.map(\.name))
        #expect(named.map(\.status) == MockAPNSCore.Reason.allCases.map { Int($0.status) })
        #expect(named.allSatisfy { Library.Reason(rawValue: $0.rawValue) == $0 })
    }

    @Test func everyOutcomeHasAName() {
        let named: [Library.Outcome] = [.responded, .delayed, .stalled, .reset, .goAway, .closed, .ignored, .cancelled]
        #expect(named == Library.Outcome.allCases && named.map(\.rawValue) == MockAPNSCore.Outcome.allCases.map(\.name))
    }

    @Test func everyDeliveryHasAName() {
        let named: [Library.Delivery] = [
            .received, .delivered, .deliveredFromStorage, .storedOffline, .storedPower, .discardedUnregistered,
            .discardedUnregisteredFromStorage, .discardedExpired, .discardedDisabled, .discardedDisabledFromStorage,
        ]
        #expect(named == Library.Delivery.allCases)
        #expect(named.map(\.rawValue) == MockAPNSCore.Delivery.allCases.map(\.name))
    }

    @Test func everyPushTypeHasAName() {
        let named: [Library.PushType] = [
            .alert, .background, .complication, .controls, .fileprovider, .liveactivity, .location, .mdm, .pushtotalk,
            .voip, .widgets,
        ]
        #expect(named.map(\.rawValue) == MockAPNSCore.PushType.allCases.map(\.name))
    }

    @Test func everythingThatDecidesHasAName() {
        let named: [Library.DecidedBy] = [.checks, .device, .connection, .outage, .rule("x")]
        #expect(named.dropLast().map(\.rawValue) == MockAPNSCore.DecidedBy.allCases.dropLast().map(\.name))
        #expect(named.allSatisfy { Library.DecidedBy(rawValue: $0.rawValue) == $0 })
    }

    @Test func whoSendsAPushHasANameAndSoHasEveryVerdict() {
        #expect(words(Library.LoggedRequest.Sender.self) == Sender.allCases.map(\.name))
        #expect(
            Set(words(Library.LoggedRequest.Authentication.Method.self))
                == Set(AuthenticationMethod.allCases.map(\.name)))
        let verdicts = [.valid] + Library.Reason.allCases.map(Library.LoggedRequest.Verdict.rejected)
        #expect(verdicts.map(\.rawValue) == ["valid"] + MockAPNSCore.Reason.allCases.map(\.name))
        #expect(verdicts.allSatisfy { Library.LoggedRequest.Verdict(rawValue: $0.rawValue) == $0 })
        #expect(Library.LoggedRequest.Verdict(rawValue: "unsure") == nil)
    }

    @Test func otherWordsAreThoseOfScenarios() {
        #expect(words(Library.Field.self) == words(RequestField.self))
        #expect(words(Library.BroadcastCall.self) == MockAPNSCore.BroadcastCall.allCases.map(\.name))
        #expect(words(Library.Trigger.self) == words(Rule.Trigger.self))
        #expect(words(Library.Repetition.self) == words(Rule.Repetition.self))
        #expect(words(Library.LintSeverity.self) == words(MockAPNSCore.LintSeverity.self))
        #expect(words(Library.Ending.self) == words(ConnectionAction.Ending.self))
        #expect(words(Library.Hostility.self) == words(MockAPNSCore.Hostility.self))
        #expect(words(Library.ServerCertificateFault.self) == words(MockAPNSCore.ServerCertificateFault.self))
        #expect(words(Library.Configuration.Environment.self) == words(GatewayConfiguration.Environment.self))
        #expect(words(Library.Configuration.Authentication.self) == words(MockAPNSCore.Authentication.Mode.self))
        #expect(Library.Configuration.Environment.allCases.allSatisfy { $0.core.rawValue == $0.rawValue })
        #expect(Library.Configuration.Authentication.allCases.allSatisfy { $0.core.rawValue == $0.rawValue })
    }

    @Test func everyAlertAndErrorCodeIsKnown() async throws {
        let alerts: [Library.TLSAlert] = [
            .closeNotify, .unexpectedMessage, .badRecordMAC, .recordOverflow, .handshakeFailure, .badCertificate,
            .unsupportedCertificate, .certificateRevoked, .certificateExpired, .certificateUnknown,
            .illegalParameter, .unknownCA, .accessDenied, .decodeError, .decryptError, .protocolVersion,
            .insufficientSecurity, .internalError, .inappropriateFallback, .userCanceled, .missingExtension,
            .unsupportedExtension, .unrecognizedName, .badCertificateStatusResponse, .unknownPSKIdentity,
            .certificateRequired, .noApplicationProtocol,
        ]
        let codes: [Library.ErrorCode] = [
            .noError, .protocolError, .internalError, .flowControlError, .settingsTimeout, .streamClosed,
            .frameSizeError, .refusedStream, .cancel, .compressionError, .connectError, .enhanceYourCalm,
            .inadequateSecurity, .http11Required,
        ]
        try await MockAPNSServer.withServer { apns in
            for alert in alerts { try apns.addRule(.tlsAlert(alert), on: .connect) }
            for code in codes { try apns.addRule(.resetStream(code)) }
        }
        #expect(codes.map(\.rawValue) == Array(0..<14))
    }

    private func words<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) -> [String] {
        type.allCases.map(\.rawValue)
    }
}
