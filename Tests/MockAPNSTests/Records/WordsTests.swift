import MockAPNS
import Testing

private typealias Library = MockAPNSServer

/// The words that the library takes as numbers or names.
@Suite struct WordsTests {
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
