import Foundation
import MockAPNS
import MockAPNSCore
import Testing

@testable import MockAPNSProbe

/// A deliberate fault of the server, and the probes that have to notice it.
struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    /// Merged into the scenario of the probe's own server.
    let scenario: String
    let noticedBy: Set<String>

    var testDescription: String { name }

    init(_ name: String, _ scenario: String, _ noticedBy: String...) {
        (self.name, self.scenario, self.noticedBy) = (name, scenario, Set(noticedBy))
    }

    /// A rule for pushes with priority 11, which many probes use to provoke an error.
    static func error(_ name: String, _ step: String, _ noticedBy: String...) -> Fault {
        Fault(
            name, #"{"rules": [{"when": {"header": {"apns-priority": "11"}}, "then": \#(step)}]}"#, all: noticedBy)
    }

    private init(_ name: String, _ scenario: String, all noticedBy: [String]) {
        (self.name, self.scenario, self.noticedBy) = (name, scenario, Set(noticedBy))
    }
}

/// With each fault the probe names exactly the probes that must differ.
@Suite(.withoutSanitizer) struct FaultTests {
    private static let faults = [
        Fault(
            "errors have a content-type", #"{"responses": {"contentType": true}}"#, "checks/error-fields"),
        Fault(
            "the documented spelling of a reason",
            #"{"responses": {"badEnvironmentReason": "BadEnvironmentKeyIdInToken"}}"#, "tokens/other-environment"),
        Fault(
            "another reason for a topic that a certificate does not name",
            #"{"responses": {"foreignTopic": "BadTopic"}}"#,
            "tokens/certificate-foreign-topic"),
        Fault(
            "payloads have to be JSON", #"{"responses": {"invalidJSON": "PayloadEmpty"}}"#, "payload/not-json",
            "payload/not-utf8"),
        Fault(
            "background pushes may have priority 10", #"{"responses": {"backgroundPriority10": "accept"}}"#,
            "headers/push-type-background-10"),
        Fault(
            "500 streams", #"{"connection": {"maxConcurrentStreams": 500}}"#, "limits/thousand-streams",
            "limits/thousand-with-certificate"),
        Fault(
            "five streams at first", #"{"connection": {"beforeAuthentication": 5}}"#, "limits/one-stream-at-first",
            "limits/not-after-a-refusal", "limits/refused-stream", "limits/refused-stream-with-body",
            "limits/first-stream-goes-on"),
        Fault(
            "another table size", #"{"connection": {"headerTableSize": 8192}}"#, "connection/settings-header-table-size"
        ),
        Fault(
            "another window", #"{"connection": {"initialWindowSize": 32768}}"#,
            "connection/settings-initial-window-size"),
        Fault(
            "longer header lists", #"{"connection": {"maxHeaderListSize": 16000}}"#,
            "connection/settings-max-header-list-size", "connection/header-list-of-8001"),
        Fault(
            "any number of provider tokens", #"{"authentication": {"providerTokenUpdates": false}}"#,
            "limits/third-token", "limits/third-token-bad"),
        Fault(
            "provider tokens live half an hour", #"{"authentication": {"providerTokenLifetime": "30m"}}"#,
            "tokens/59-minutes-old"),
        Fault(
            "provider tokens live three hours", #"{"authentication": {"providerTokenLifetime": "3h"}}"#,
            "tokens/61-minutes-old"),
        Fault(
            "unknown devices are registered", #"{"unknownDevices": "register"}"#, "checks/device-unknown"),
        Fault(
            "no device has a limit",
            #"{"rules": [{"when": {"device": "throttled"}, "then": {"respond": {"status": 200}}}]}"#,
            "limits/too-many-requests"),
        Fault(
            "priority 5 is refused",
            #"{"rules": [{"when": {"priority": 5, "pushType": "alert", "topic": "com.example.app"}, "then": {"reject": "BadPriority"}}]}"#,
            "headers/priority-5"),
        Fault(
            "410 with seconds",
            #"{"rules": [{"when": {"device": "unregistered"}, "then": {"reject": "Unregistered", "timestamp": "1970-01-18T00:00:00.000Z"}}]}"#,
            "checks/device-unregistered-timestamp"),
        Fault(
            "a collapse id of 64 bytes is too long",
            #"{"rules": [{"when": {"collapseID": {"matches": ".{64}"}}, "then": {"reject": "BadCollapseId"}}]}"#,
            "headers/collapse-id-64"),
        Fault(
            "4096 bytes are too many",
            #"{"rules": [{"when": {"payloadBytes": 4096}, "then": {"reject": "PayloadTooLarge"}}]}"#,
            "payload/4096-bytes"),
        Fault(
            "a push type is required",
            #"{"rules": [{"when": {"header": {"apns-push-type": {"exists": false}}}, "then": {"reject": "MissingPushType"}}]}"#,
            "headers/push-type-absent", "headers/voip-topic-without-type"),
        Fault(
            "the table's word for an app without channels",
            #"{"broadcast": {"notEnabledReason": "FeatureNotEnabled"}}"#,
            "broadcast/not-enabled"),
        Fault(
            "unknown channels are not registered", #"{"broadcast": {"unknownChannel": "ChannelNotRegistered"}}"#,
            "broadcast/publish-unknown"),
        Fault(
            "deleted channels are not registered", #"{"broadcast": {"deleteUnknown": "ChannelNotRegistered"}}"#,
            "broadcast/delete-unknown", "broadcast/delete-deleted", "broadcast/read-unknown", "broadcast/read-deleted"),
        Fault(
            "broadcasts need no expiration",
            #"{"rules": [{"when": {"on": "broadcast", "header": {"apns-expiration": {"exists": false}}}, "then": {"respond": {"status": 200}}}]}"#,
            "broadcast/expiration-absent"),
        Fault(
            "the list is empty",
            #"{"rules": [{"when": {"on": "channels", "call": "list", "topic": "com.example.app", "header": {"authorization": {"exists": true}}}, "then": {"respond": {"status": 200, "body": "{\"channels\":[]}"}}}]}"#,
            "broadcast/list", "broadcast/list-in-order"),
        .error(
            "an error without apns-id", #"{"hostile": "noAPNsID"}"#, "checks/error-fields", "headers/id-on-error",
            "headers/id-generated-on-error"),
        .error(
            "apns-id in another case", #"{"hostile": "otherCaseAPNsID"}"#, "headers/id-on-error",
            "headers/id-generated-on-error"),
        .error("an error in two DATA frames", #"{"hostile": "splitBody"}"#, "checks/error-body"),
        .error(
            "an error with white space",
            #"{"respond": {"status": 400, "headers": {"apns-id": "0F0F0F0F-0F0F-0F0F-0F0F-0F0F0F0F0F0F"}, "body": "{\"reason\": \"BadPriority\"}"}}"#,
            "checks/error-body", "checks/expiration-before-priority", "headers/id-on-error"),
        .error(
            "apns-unique-id on errors",
            #"{"respond": {"status": 400, "headers": {"apns-id": "0F0F0F0F-0F0F-0F0F-0F0F-0F0F0F0F0F0F", "apns-unique-id": "4084a6e4-9ea8-6d2a-ca49-9a344a152da7"}, "body": "{\"reason\":\"BadPriority\"}"}}"#,
            "headers/unique-id-not-on-errors", "checks/error-fields", "checks/expiration-before-priority",
            "headers/id-on-error"),
    ]

    @Test(arguments: faults)
    func isNamedExactly(fault: Fault) async throws {
        let own = try await IdleServers.shared.take()
        try await own.server.play(Array(Self.merged(own.scenario, fault.scenario).utf8), anew: true)
        let results = try await ProbeRun(own.target, timeout: .patience).run(ProbeList.all.probes) { _ in }
        await IdleServers.shared.giveBack(own)
        let noticed = Set(results.filter { $0.outcome != .agrees }.map(\.probe.path))
        #expect(noticed.sorted() == fault.noticedBy.sorted())
        for result in results where result.outcome == .note { #expect(result.probe.fact.mark == .guessed) }
    }

    /// Returns the scenario of the probe's own server with the members of another.
    private static func merged(_ scenario: [UInt8], _ fault: String) throws -> String {
        func object(_ text: [UInt8]) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
        }
        var scenario = try object(scenario)
        for (key, value) in try object(Array(fault.utf8)) {
            if let inner = value as? [String: Any], let before = scenario[key] as? [String: Any] {
                scenario[key] = before.merging(inner) { $1 }
            } else {
                scenario[key] = value
            }
        }
        return String(decoding: try JSONSerialization.data(withJSONObject: scenario), as: UTF8.self)
    }
}

/// The probe's own servers that no test uses now: the keys of their certificates take time to make.
private actor IdleServers {
    static let shared = IdleServers()

    private var servers: [OwnServer] = []

    func take() async throws -> OwnServer {
        if let server = servers.popLast() { return server }
        return try await OwnServer.start()
    }

    func giveBack(_ server: OwnServer) { servers.append(server) }
}
