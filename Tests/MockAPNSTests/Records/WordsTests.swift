import MockAPNSCore
import TestSupport
import Testing

@testable import MockAPNS

private typealias Library = MockAPNSServer

/// The words that the library has in a form of its own, and those that it takes as numbers or names.
@Suite struct WordsTests {
    @Test func everyPushTypeHasAName() {
        let named: [Library.PushType] = [
            .alert, .background, .complication, .controls, .fileprovider, .liveactivity, .location, .mdm, .pushtotalk,
            .voip, .widgets,
        ]
        #expect(named.map(\.rawValue) == MockAPNSCore.PushType.allCases.map(\.name))
    }

    @Test func everythingThatDecidesHasAName() {
        let named: [Library.DecidedBy] = [.checks, .device, .connection, .outage, .rule("x"), .upstream]
        #expect(named.map { $0 == .rule("x") ? "rule" : $0.rawValue } == MockAPNSCore.DecidedBy.allCases.map(\.name))
        #expect(named.allSatisfy { Library.DecidedBy(rawValue: $0.rawValue) == $0 })
    }

    @Test func everyVerdictHasAName() {
        let verdicts = [.valid] + Library.Reason.allCases.map(Library.LoggedRequest.Verdict.rejected)
        #expect(verdicts.map(\.rawValue) == ["valid"] + Library.Reason.allCases.map(\.rawValue))
        #expect(verdicts.allSatisfy { Library.LoggedRequest.Verdict(rawValue: $0.rawValue) == $0 })
        #expect(Library.LoggedRequest.Verdict(rawValue: "unsure") == nil)
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
}
