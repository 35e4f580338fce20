import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// What lint takes from the header fields of a push that stands alone.
@Suite struct LintedPushTests {
    private static func push(path: String) -> LintedPush {
        var push = LintedPush(body: [])
        push.setHeader(":path", path)
        return push
    }

    @Test func aPathNamesTheDeviceOrSaysThatItIsABroadcast() {
        #expect(Self.push(path: "/3/device/abcd").recipient == "abcd")
        #expect(Self.push(path: "/4/broadcasts/apps/com.example.app").isBroadcast)
    }

    @Test(arguments: [
        "3/device/abcd", "/3//device/abcd", "/2/device/abcd", "/3/devices/abcd", "/3/device/abcd/x", "//3/device",
    ])
    func anotherPathNamesNoDevice(_ path: String) {
        #expect(Self.push(path: path).recipient == nil)
    }

    @Test(arguments: [
        "/3/broadcasts/apps/a.b", "/4/broadcasts/apps", "/4/broadcast/apps/a.b", "/4/broadcasts/apps/a.b/c",
    ])
    func anotherPathIsNoBroadcast(_ path: String) {
        #expect(!Self.push(path: path).isBroadcast)
    }

    @Test(arguments: [("%@ %@", 2), ("%2$@", 2), ("%d of %2$d", 2), ("100 %% %i", 0)])
    func aPlaceholderWantsAnArgument(_ format: String, _ count: Int) {
        #expect(AppStrings.argumentCount(of: format) == count)
    }

    private static func unknownFields(_ name: String) -> [String] {
        var push = LintedPush(body: [])
        push.setHeader(name, "1")
        return push.unknownFields
    }

    @Test(
        "A field that seems to be meant for APNs says what was probably meant",
        arguments: [
            ("apns_topic", #""apns_topic" (did you mean "apns-topic"?)"#),
            ("topic", #""topic" (did you mean "apns-topic"?)"#),
            ("Collapse-ID", #""collapse-id" (did you mean "apns-collapse-id"?)"#),
            ("badge", #""badge" ("badge" is a key of the payload)"#),
            ("apns-badge", #""apns-badge" ("badge" is a key of the payload)"#),
            ("thread_id", #""thread_id" ("thread-id" is a key of the payload)"#),
        ])
    func fieldsMeantForAPNs(name: String, told: String) { #expect(Self.unknownFields(name) == [told]) }

    @Test(arguments: [
        "apns-topic", "apns-id", "apns-channel-id", "apns-request-id", "priority", "id", "title", "event", "push-badge",
        "x-request-id", "user-agent",
    ])
    func otherFieldsAreNotTold(_ name: String) { #expect(Self.unknownFields(name) == []) }

    @Test(arguments: [(200, 1), (201, 0)])
    func veryLongFieldsAreNotTold(length: Int, count: Int) {
        let name = "apns-" + String(repeating: "x", count: length - 5)
        #expect(Self.unknownFields(name).count == count)
    }
}
