// Swift, with AsyncHTTPClient and swift-crypto. Run it with:
// swift build && mock-apns exec -- swift run --skip-build push DEVICE-TOKEN...
//
// The client asks no variable whom to trust, so the server's authority is added to the system's roots.

import AsyncHTTPClient
import Crypto
import Foundation
import NIOSSL

let environment = ProcessInfo.processInfo.environment
func env(_ name: String) -> String { environment["MOCK_APNS_" + name] ?? "" }

func base64URL(_ data: some DataProtocol) -> String {
    Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

func providerToken() throws -> String {
    let key = try P256.Signing.PrivateKey(pemRepresentation: String(contentsOfFile: env("KEY"), encoding: .utf8))
    let header = #"{"alg":"ES256","kid":"\#(env("KEY_ID"))"}"#
    let claims = #"{"iss":"\#(env("TEAM_ID"))","iat":\#(Int(Date().timeIntervalSince1970))}"#
    let message = base64URL(Data(header.utf8)) + "." + base64URL(Data(claims.utf8))
    return try message + "." + base64URL(key.signature(for: Data(message.utf8)).rawRepresentation)
}

var tls = TLSConfiguration.makeClientConfiguration()
tls.additionalTrustRoots = [.file(env("CA"))]
let token = try providerToken()
try await HTTPClient.withHTTPClient(configuration: .init(tlsConfiguration: tls)) { client in
    for device in CommandLine.arguments.dropFirst() {
        var request = HTTPClientRequest(url: env("URL") + "/3/device/" + device)
        request.method = .POST
        request.headers = ["authorization": "bearer " + token, "apns-topic": env("TOPIC"), "apns-push-type": "alert"]
        request.body = .bytes(Data(#"{"aps":{"alert":"Hello"}}"#.utf8))
        print(try await client.execute(request, timeout: .seconds(10)).status.code)
    }
}
