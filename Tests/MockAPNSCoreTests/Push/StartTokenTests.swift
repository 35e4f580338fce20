import Testing

@testable import MockAPNSCore

/// Push-to-start tokens as a record has them.
@Suite struct StartTokenTests {
    private static let token = String(repeating: "c5", count: 32)

    @Test(
        "What is written of them is read again",
        arguments: [
            [], ["com.example.app"], ["com.example.app.voip"], ["com.example.app", "com.example.app.voip"],
            ["com.example.app", "com.example.other"],
        ])
    func written(topics: [String]) throws {
        let tokens = StartToken.drawn(seed: 1, for: DeviceToken(seed: 1, for: "device"), topics)
        var json: [UInt8] = []
        tokens.appendJSON(to: &json)
        #expect([StartToken](try JSONText.read(json), topics) == tokens)
    }

    @Test func aDeviceMayHaveNone() throws {
        var json: [UInt8] = []
        [StartToken]().appendJSON(to: &json)
        #expect([StartToken](try JSONText.read(json), ["com.example.app"]).isEmpty)
    }

    @Test(
        "What is no token is left out",
        arguments: [
            ("7", []), (#""c5""#, []), (#"{"a.b": "c5"}"#, []), (#"{"a.b": "c5", "c.d": "\#(token)"}"#, ["c.d"]),
            (#"{"a.b": "\#(token)"}"#, ["a.b"]),
        ])
    func other(json: String, apps: [String]) throws {
        #expect([StartToken](try JSONText.read(Array(json.utf8)), ["com.example.app"]).map(\.app) == apps)
    }
}
