import Testing

@testable import MockAPNS

@Suite struct ForeignProtocolTests {
    @Test(
        "The first bytes tell the protocol",
        arguments: [
            ("PRI * HTTP/2.0\r\n", .http2), ("PRI *", .http2), ("GET / HTTP/1.1\r\n", .http1), ("POST ", .http1),
            ("DELETE /3", .http1), ("OPTIO", .http1), ("CONNECT a:443 HTTP/1.1\r\n", .connect), ("CONNE", .connect),
            ("\u{0}\u{0} token", .binary), ("\u{1}", .binary), ("\u{2}\u{0}", .binary), ("", nil),
            ("\u{3}\u{0}\u{0}", nil), ("hello there", nil), ("A:", nil), ("SSH-2.0", nil),
        ] as [(String, ForeignProtocol?)])
    func firstBytes(said: String, expected: ForeignProtocol?) {
        #expect(ForeignProtocol(Array(said.utf8)) == expected)
    }

    @Test func onlyHTTP1ClientsAreAnsweredInKind() throws {
        let answer = try #require(ForeignProtocol.connect.answer("Why."))
        let text = String(decoding: answer, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n") && text.hasSuffix("\r\n\r\nWhy.\n"))
        #expect(text.contains("content-length: 5\r\n"))
        #expect(ForeignProtocol.http2.answer("Why.") == nil && ForeignProtocol.binary.answer("Why.") == nil)
    }
}
