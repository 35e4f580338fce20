// Swift, with nothing but Foundation. Run it with: swiftc push.swift && mock-apns exec -- ./push DEVICE-TOKEN...
//
// URLSession asks no variable whom to trust, so the system has to trust the server's authority (certs/ca.pem): on Debian,
// copy it to /usr/local/share/ca-certificates/mock-apns.crt and run update-ca-certificates. `mock-apns token` signs the
// provider token; package/main.swift needs neither, but packages.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

func env(_ name: String) -> String? { ProcessInfo.processInfo.environment["MOCK_APNS" + name] }

func providerToken() throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [env("") ?? "mock-apns", "token", "--certs", env("_CERTS") ?? ""]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
}

let token = try providerToken()
for device in CommandLine.arguments.dropFirst() {
    var request = URLRequest(url: URL(string: "\(env("_URL") ?? "")/3/device/\(device)")!)
    request.httpMethod = "POST"
    request.setValue("bearer \(token)", forHTTPHeaderField: "authorization")
    request.setValue(env("_TOPIC"), forHTTPHeaderField: "apns-topic")
    request.setValue("alert", forHTTPHeaderField: "apns-push-type")
    request.httpBody = Data(#"{"aps":{"alert":"Hello"}}"#.utf8)
    let (_, answer) = try await URLSession.shared.data(for: request)
    print((answer as! HTTPURLResponse).statusCode)
}
