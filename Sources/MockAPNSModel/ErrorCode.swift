extension MockAPNSWords {
    /// An HTTP/2 error code (RFC 9113, section 7).
    public struct ErrorCode: RawRepresentable, Sendable, Hashable, ExpressibleByIntegerLiteral {
        /// The number.
        public let rawValue: Int

        /// The number on the wire.
        package var code: UInt32 { UInt32(clamping: rawValue) }

        /// The names of the codes, in numerical order.
        package static let names = [
            "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
            "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
            "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
        ]

        /// Returns the name of a code; `nil` if it has none.
        package static func name(of code: UInt32) -> String? {
            names.indices.contains(Int(code)) ? names[Int(code)] : nil
        }

        /// Creates the code with that number, 0 to 2³² − 1.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Creates the code with that number.
        public init(integerLiteral value: Int) { rawValue = value }

        /// `NO_ERROR`.
        public static let noError: Self = 0
        /// `PROTOCOL_ERROR`.
        public static let protocolError: Self = 1
        /// `INTERNAL_ERROR`.
        public static let internalError: Self = 2
        /// `FLOW_CONTROL_ERROR`.
        public static let flowControlError: Self = 3
        /// `SETTINGS_TIMEOUT`.
        public static let settingsTimeout: Self = 4
        /// `STREAM_CLOSED`.
        public static let streamClosed: Self = 5
        /// `FRAME_SIZE_ERROR`.
        public static let frameSizeError: Self = 6
        /// `REFUSED_STREAM`.
        public static let refusedStream: Self = 7
        /// `CANCEL`.
        public static let cancel: Self = 8
        /// `COMPRESSION_ERROR`.
        public static let compressionError: Self = 9
        /// `CONNECT_ERROR`.
        public static let connectError: Self = 10
        /// `ENHANCE_YOUR_CALM`.
        public static let enhanceYourCalm: Self = 11
        /// `INADEQUATE_SECURITY`.
        public static let inadequateSecurity: Self = 12
        /// `HTTP_1_1_REQUIRED`.
        public static let http11Required: Self = 13
    }
}
