// Swift, with Foundation; mock-apns signs the provider tokens, and the system has to trust the server (see push.swift).
// Run it with: swiftc driver.swift && mock-apns suite -- ./driver
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let names = [
    "topic": "apns-topic", "pushType": "apns-push-type", "priority": "apns-priority", "expiration": "apns-expiration",
    "collapseID": "apns-collapse-id",
]
func env(_ name: String) -> String? { ProcessInfo.processInfo.environment["MOCK_APNS" + name] }

func sign() throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [env("") ?? "mock-apns", "token", "--certs", env("_CERTS") ?? ""]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return "bearer " + text.trimmingCharacters(in: .whitespacesAndNewlines)
}

func connected() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 2
    return URLSession(configuration: configuration)
}

// The driver.

var (token, session, dropped) = (try sign(), connected(), Set<String>())
while let line = readLine() {
    let push = try JSONSerialization.jsonObject(with: Data(line.utf8)) as! [String: Any]
    let device = push["token"] as! String
    var request = URLRequest(url: URL(string: "\(env("_URL")!)/3/device/\(device)")!)
    request.httpMethod = "POST"
    request.httpBody = try JSONSerialization.data(withJSONObject: push["payload"]!, options: .withoutEscapingSlashes)
    request.setValue(UUID().uuidString.lowercased(), forHTTPHeaderField: "apns-id")
    for (member, name) in names { request.setValue(push[member].map { "\($0)" }, forHTTPHeaderField: name) }
    var result: [String: Any] = ["error": "the device token was dropped"]
    for number in 0..<6 where !dropped.contains(device) {
        request.setValue(token, forHTTPHeaderField: "authorization")
        var (status, reason, pause) = (0, "", 0.025 * pow(2, Double(number)))
        do {
            let (body, response) = try await session.data(for: request)
            let answer = response as! HTTPURLResponse
            status = answer.statusCode
            reason = (try? JSONDecoder().decode([String: String].self, from: body))?["reason"] ?? ""
            pause += answer.value(forHTTPHeaderField: "retry-after").flatMap(Double.init) ?? 0
            result = ["status": status, "reason": reason]
        } catch { result = ["error": "\(error)"] }
        if status == 410 || reason == "BadDeviceToken" { dropped.insert(device) }
        let isExpired = reason == "ExpiredProviderToken" && number < 2
        if isExpired { token = try sign() }
        let isWorn = isExpired || [0, 500].contains(status) || reason == "TooManyProviderTokenUpdates"
        if !isWorn, ![429, 503].contains(status), reason != "InvalidProviderToken" || number > 1 { break }
        if isWorn {
            session.finishTasksAndInvalidate()
            session = connected()
        }
        try await Task.sleep(for: .seconds(pause))
    }
    result["id"] = push["id"]
    print(String(decoding: try JSONSerialization.data(withJSONObject: result), as: UTF8.self))
    fflush(stdout)
}
