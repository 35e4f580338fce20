import GatewayRigs
import Testing

@testable import MockAPNSCore

/// Ordered pushes whose header fields end elsewhere than they say.
@Suite struct OrderedPushHeaderTests {
    private static func push() throws -> OrderedPush {
        let rig = try OrderRig()
        let bytes = OrderedPush.bytes(of: rig.receive(at: 0).waiting)
        let pushes = try OrderedPush.pushes(from: bytes.span)
        return try #require(pushes.first)
    }

    /// The binary form with another length of the header, which precedes the fields and the body.
    private static func bytes(of push: OrderedPush, headerLength: Int) -> [UInt8] {
        var end: [UInt8] = []
        end.appendNumber(push.content.request.facts.headerLength)
        let length = end.count
        end.appendText(push.content.bytes)
        var bytes = OrderedPush.bytes(of: [push])
        bytes.removeLast(end.count)
        bytes.appendNumber(headerLength)
        return bytes + end[length...]
    }

    @Test func theHeaderEndsWithAField() throws {
        let push = try Self.push()
        let (length, count) = (push.content.request.facts.headerLength, push.content.bytes.count)
        let read = try OrderedPush.pushes(from: Self.bytes(of: push, headerLength: length).span)
        #expect(read.map(\.content.request.facts.headerLength) == [length])
        // With 0, everything is the body, which is too long then.
        for wrong in [0, 3, length - 1, length + 1, length + 4, count, count + 1, count + 4] {
            let bytes = Self.bytes(of: push, headerLength: wrong)
            #expect(throws: FrameMistake.self, "\(wrong)") { try OrderedPush.pushes(from: bytes.span) }
        }
    }

    @Test func theLastFieldMayBeEmpty() throws {
        var push = try Self.push()
        let length = push.content.request.facts.headerLength
        push.content.bytes.insert(contentsOf: [0, 0, 0, 0], at: length)
        push.content.request.facts.headerLength = length + 4
        let bytes = OrderedPush.bytes(of: [push])
        let read = try OrderedPush.pushes(from: bytes.span)
        #expect(read.map(\.content.request.facts.headerLength) == [length + 4])
        #expect(read.map(\.content.bytes) == [push.content.bytes])
    }
}
