// Run it with: swift test

import AsyncHTTPClient
import Crypto
import Foundation
import MockAPNSTesting
import NIOSSL
import Testing

let alice = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

@Test(
    .mockAPNS(
        scenario: .swift(
            .rules(.rule(.reject(.tooManyRequests), name: "busy", times: 2)),
            .expect(.requests(.status(200), count: 1).named("tried again until it worked")))))
func triesAgainWhenAPNsIsBusy() async throws {
    let apns = try MockAPNSServer.current
    try await Provider(apns).push("Goal", to: alice)

    let pushes = try await apns.requests(matching: .status(200), count: 1)
    #expect(pushes[0].pushType == .alert)
    #expect(pushes[0].payload(at: "/aps/alert") == "Goal")
}

/// Your provider: it knows the address, whom to trust and the key.
struct Provider {
    let url: String
    let topic: String
    let authority: NIOSSLCertificate
    let token: String

    init(_ apns: MockAPNSServer) throws {
        (url, topic) = (apns.url, apns.topic)
        authority = try NIOSSLCertificate(bytes: Array(apns.certificateAuthority.pem.utf8), format: .pem)
        let key = try P256.Signing.PrivateKey(pemRepresentation: apns.signingKey.pem)
        let header = #"{"alg":"ES256","kid":"\#(apns.keyID)"}"#
        let claims = #"{"iss":"\#(apns.teamID)","iat":\#(Int(Date().timeIntervalSince1970))}"#
        let message = Self.base64URL(Data(header.utf8)) + "." + Self.base64URL(Data(claims.utf8))
        token = try message + "." + Self.base64URL(key.signature(for: Data(message.utf8)).rawRepresentation)
    }

    func push(_ text: String, to device: String) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.additionalTrustRoots = [.certificates([authority])]
        try await HTTPClient.withHTTPClient(configuration: .init(tlsConfiguration: tls)) { client in
            for _ in 1...3 {
                var request = HTTPClientRequest(url: "\(url)/3/device/\(device)")
                request.method = .POST
                request.headers = ["authorization": "bearer " + token, "apns-topic": topic, "apns-push-type": "alert"]
                request.body = .bytes(Data(#"{"aps":{"alert":"\#(text)"}}"#.utf8))
                if try await client.execute(request, timeout: .seconds(10)).status == .ok { return }
            }
        }
    }

    private static func base64URL(_ data: some DataProtocol) -> String {
        Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
