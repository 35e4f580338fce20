extension MockAPNSWords {
    /// An alert that ends a TLS handshake, by its name in RFC 8446, section 6.
    public struct TLSAlert: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
        /// The name, `certificate_expired`.
        public let rawValue: String

        /// All alerts, in numerical order.
        package static let all: [(alert: Self, code: UInt8)] = [
            (.closeNotify, 0),
            (.unexpectedMessage, 10),
            (.badRecordMAC, 20),
            (.recordOverflow, 22),
            (.handshakeFailure, 40),
            (.badCertificate, 42),
            (.unsupportedCertificate, 43),
            (.certificateRevoked, 44),
            (.certificateExpired, 45),
            (.certificateUnknown, 46),
            (.illegalParameter, 47),
            (.unknownCA, 48),
            (.accessDenied, 49),
            (.decodeError, 50),
            (.decryptError, 51),
            (.protocolVersion, 70),
            (.insufficientSecurity, 71),
            (.internalError, 80),
            (.inappropriateFallback, 86),
            (.userCanceled, 90),
            (.missingExtension, 109),
            (.unsupportedExtension, 110),
            (.unrecognizedName, 112),
            (.badCertificateStatusResponse, 113),
            (.unknownPSKIdentity, 115),
            (.certificateRequired, 116),
            (.noApplicationProtocol, 120),
        ]

        /// Creates the alert with that name; one that does not exist is a mistake in the rule that uses it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Creates the alert with that name.
        public init(stringLiteral value: String) { rawValue = value }

        /// 0: `close_notify`.
        public static let closeNotify: Self = "close_notify"
        /// 10: `unexpected_message`.
        public static let unexpectedMessage: Self = "unexpected_message"
        /// 20: `bad_record_mac`.
        public static let badRecordMAC: Self = "bad_record_mac"
        /// 22: `record_overflow`.
        public static let recordOverflow: Self = "record_overflow"
        /// 40: `handshake_failure`.
        public static let handshakeFailure: Self = "handshake_failure"
        /// 42: `bad_certificate`.
        public static let badCertificate: Self = "bad_certificate"
        /// 43: `unsupported_certificate`.
        public static let unsupportedCertificate: Self = "unsupported_certificate"
        /// 44: `certificate_revoked`.
        public static let certificateRevoked: Self = "certificate_revoked"
        /// 45: `certificate_expired`.
        public static let certificateExpired: Self = "certificate_expired"
        /// 46: `certificate_unknown`.
        public static let certificateUnknown: Self = "certificate_unknown"
        /// 47: `illegal_parameter`.
        public static let illegalParameter: Self = "illegal_parameter"
        /// 48: `unknown_ca`.
        public static let unknownCA: Self = "unknown_ca"
        /// 49: `access_denied`.
        public static let accessDenied: Self = "access_denied"
        /// 50: `decode_error`.
        public static let decodeError: Self = "decode_error"
        /// 51: `decrypt_error`.
        public static let decryptError: Self = "decrypt_error"
        /// 70: `protocol_version`.
        public static let protocolVersion: Self = "protocol_version"
        /// 71: `insufficient_security`.
        public static let insufficientSecurity: Self = "insufficient_security"
        /// 80: `internal_error`.
        public static let internalError: Self = "internal_error"
        /// 86: `inappropriate_fallback`.
        public static let inappropriateFallback: Self = "inappropriate_fallback"
        /// 90: `user_canceled`.
        public static let userCanceled: Self = "user_canceled"
        /// 109: `missing_extension`.
        public static let missingExtension: Self = "missing_extension"
        /// 110: `unsupported_extension`.
        public static let unsupportedExtension: Self = "unsupported_extension"
        /// 112: `unrecognized_name`.
        public static let unrecognizedName: Self = "unrecognized_name"
        /// 113: `bad_certificate_status_response`.
        public static let badCertificateStatusResponse: Self = "bad_certificate_status_response"
        /// 115: `unknown_psk_identity`.
        public static let unknownPSKIdentity: Self = "unknown_psk_identity"
        /// 116: `certificate_required`.
        public static let certificateRequired: Self = "certificate_required"
        /// 120: `no_application_protocol`.
        public static let noApplicationProtocol: Self = "no_application_protocol"
    }
}
