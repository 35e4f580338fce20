import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

@Suite struct ScenarioTopicsTests {
    private static func topics(_ text: String, besides topics: [String]) throws -> [String] {
        try #require(Scenario.read(Array(text.utf8)).0).topics(besides: topics)
    }

    @Test func whatTheCertificateLacksIsListedOnce() throws {
        let text = """
            {"authentication": {"teams": [
               {"teamID": "TEAM123456", "topics": ["com.example.a", "com.example.b"], "keys": [
                 {"keyID": "KEY1234567", "topics": ["com.example.b", "com.example.c"]}]},
               {"teamID": "TEAM999999", "topics": ["com.example.other"], "keys": [{"keyID": "KEY9999999"}]}]},
             "devices": [{"token": "\(String(repeating: "ab", count: 32))", "topic": "com.example.a.voip"},
                         {"token": "\(String(repeating: "cd", count: 32))", "topics": ["com.example.d", "com.example.a"]}]}
            """
        #expect(
            try Self.topics(text, besides: ["com.example.app"])
                == ["com.example.a", "com.example.b", "com.example.c", "com.example.d"])
        #expect(
            try Self.topics(text, besides: ["com.example.b", "com.example.a", "com.example.d"]) == ["com.example.c"])
        #expect(try Self.topics("{}", besides: []) == [])
    }

    @Test func thereIsALimit() throws {
        let devices = (0..<150).map {
            #"{"token": "\#(String(repeating: "ab", count: 31))\#(String($0 + 100, radix: 16))", "topic": "com.example.a\#($0)"}"#
        }
        let text = "{\"devices\": [\(devices.joined(separator: ","))]}"
        #expect(try Self.topics(text, besides: []).count == 100)
    }
}
