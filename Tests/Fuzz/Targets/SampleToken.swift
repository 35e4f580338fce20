import MockAPNSTransport

/// A provider token that was made for tests, of a key that is used for nothing else.
enum SampleToken {
    static let publicKey = try? ES256PublicKey(
        pem: Array(
            """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEJHxvay6XF1/LVJS52a025RNm3R7H
            Qj0Z56APb7fqwzBotcYD3+3bKAZAkrhZTePuBnm56Hmg1IgAU/8ZQaADIw==
            -----END PUBLIC KEY-----
            """.utf8))

    /// Header `{"alg":"ES256","kid":"ABC123DEFG"}`, claims `{"iss":"DEF123GHIJ","iat":1795255100}`.
    static let signed =
        "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzk1MjU1MTAwfQ"
    /// The signature as RFC 7518 has it.
    static let raw = "fKFomqcPNg5aXynbo99DR25zp2GXbw46wFjQ1FVUP73G-FvokglKt_4zUCoxeJ0SGLaIm_M4V1mOKUidWV4HDQ"
    /// The same signature in DER.
    static let der =
        "MEUCIHyhaJqnDzYOWl8p26PfQ0duc6dhl28OOsBY0NRVVD-9AiEAxvhb6JIJSrf-M1AqMXidEhi2iJvzOFdZjilInVleBw0"

    /// The whole token.
    static let text = "\(signed).\(raw)"
}
