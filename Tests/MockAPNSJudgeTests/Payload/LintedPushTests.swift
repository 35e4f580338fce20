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
}
