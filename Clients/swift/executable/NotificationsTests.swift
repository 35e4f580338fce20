// Run it with: swift test

import Foundation
import Testing

let alice = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

let busy: MockAPNS.JSON = [
    "rules": [["name": "busy", "times": 2, "then": ["reject": "TooManyRequests"]]],
    "expect": [["name": "tried again until it worked", "requests": ["status": 200], "count": 1]],
]

@Test(.mockAPNS(busy))
func triesAgainWhenAPNsIsBusy() async throws {
    let apns = try MockAPNS.current
    try Provider(apns).push("Goal", to: alice)

    let requests = try await apns.wait(count: 1, matching: ["status": 200])
    #expect(requests[0]["pushType"] == "alert")
    #expect(requests[0]["payload"]["aps"]["alert"] == "Goal")
}

/// Your provider. This one is curl with a client certificate: on Linux, Foundation's URLSession trusts the system alone.
struct Provider {
    let url: String
    let options: [String]

    init(_ apns: MockAPNS) throws {
        url = apns.url
        options = [
            "--http2", "--cacert", try apns.file("certificateAuthority"), "--cert", try apns.file("clientCertificate"),
            "--key", try apns.file("clientKey"), "--header", "apns-topic: \(apns.topic)",
            "--header", "apns-push-type: alert", "--silent", "--show-error", "--output", "/dev/null",
            "--write-out", "%{http_code}",
        ]
    }

    func push(_ text: String, to device: String) throws {
        let push = ["--data", #"{"aps":{"alert":"\#(text)"}}"#, "\(url)/3/device/\(device)"]
        for _ in 1...3 {
            let (curl, output) = (Process(), Pipe())
            curl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            curl.arguments = ["curl"] + options + push
            curl.standardOutput = output
            try curl.run()
            let status = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            // What APNs refuses for good is not pushed again.
            if status != "429", !status.hasPrefix("5") { return }
        }
    }
}
