import MockAPNSTransport
import TestSupport
import Testing

@testable import MockAPNS

/// What the admin API shows of a scenario with signing keys in it.
@Suite struct ShownScenarioTests {
    @Test func scenarioKeysAreShownAsTheirPublicHalf() async throws {
        let own = try ES256SigningKey.generate()
        let other = try ES256SigningKey.generate().publicKey.pem
        let pems = [try own.pem, other].map { String(decoding: $0, as: UTF8.self).replacing("\n", with: "\\n") }
        // What stands around it, and how it is written, stays.
        let text = #"""
            { "name": "pem: \"", "authentication": {"teams": [
                {"teamID": "TEAM567890", "keys": [{ "pem" : "\#(pems[0].replacing("/", with: "\\/"))", "keyID": "OWN4567890" },
                                                  {"keyID": "OTH4567890", "pem": "\#(pems[1])"}, {"keyID": "MAD4567890"}]}]} }
            """#
        try await withAdmin {
            $0.play(text)
        } _: { server, admin async throws in
            let shown = try await admin.get("/api/v1/scenario").text
            let half = String(decoding: try own.publicKey.pem, as: UTF8.self).replacing("\n", with: "\\n")
            #expect(shown == text.replacing(pems[0].replacing("/", with: "\\/"), with: half))
            #expect(!shown.contains("PRIVATE"))
            // Played again, it judges the same tokens as before.
            #expect(try await admin.send("PUT", "/api/v1/scenario", body: shown).status == 200)
            #expect(try await admin.get("/api/v1/scenario").text == shown)
            let signer = try ProviderTokenSigner(privateKey: own.pem, keyID: "OWN4567890", teamID: "TEAM567890")
            let provider = try await TestProvider.connect(to: server)
            #expect(try await provider.push(TestPush("bearer " + signer.token())).status == "200")
            await provider.close()
        }
    }
}
