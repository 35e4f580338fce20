import NIOHTTP1
import TestSupport
import Testing

@testable import MockAPNSAdmin

/// Who gets answers that are compressed.
@Suite struct AcceptedEncodingTests {
    @Test(
        arguments: [
            (nil, false), ("gzip", true), ("gzip, deflate, br, zstd", true), ("br;q=1.0, GZIP;q=0.5", true),
            ("*", true), ("x-gzip", true), ("identity", false), ("", false), ("br", false), ("gzip;q=0", false),
            ("gzip; q=0.0, *", false), ("*;q=0", false), ("gzip;q=much", false), (" , deflate ,gzip ; q=0.001", true),
        ] as [(String?, Bool)])
    func byTheHeaderField(_ value: String?, _ isAccepted: Bool) {
        let fields = HTTPHeaders(value.map { [("Accept-Encoding", $0)] } ?? [])
        #expect(fields.acceptGzip == isAccepted)
    }
}
