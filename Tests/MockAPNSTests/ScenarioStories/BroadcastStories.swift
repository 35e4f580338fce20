import MockAPNSCore
import TestSupport
import Testing

@testable import MockAPNS

/// Stories about broadcast channels, by the names of their files.
let broadcastStories: [String: Story] = [
    "broadcast-disabled-by-build": story { provider in
        let first = try #require(try await provider.create())
        try await provider.publish("1-0", to: first)
        for _ in 0..<2 { try await provider.publish("2-0", to: first) }
        let second = try #require(try await provider.create())
        try await provider.publish("2-0", to: second)
        try await provider.delete(second)
    },
    "channel-deleted-under-way": story { provider in
        try await provider.publish("1-0", to: final)
        guard try await provider.publish("2-0", to: final) != .done else { return }
        try await provider.publish("2-0", to: try #require(try await provider.create()))
    },
    "channel-limit": story { provider in
        var made = try await provider.create()
        if made == nil {
            try await provider.delete(try #require(try await provider.list().first))
            made = try await provider.create()
        }
        let channel = try #require(made)
        try await provider.publish("1-0", to: channel)
        try await provider.delete(channel)
    },
    "list-in-many-frames": story { provider in
        try await provider.create(count: 2500)
        try await provider.deleteAll(try await provider.list())
    },
    "broadcast-to-offline-device": story { provider in
        for score in ["1-0", "2-0"] {
            try await provider.publish(score, to: final)
            try await provider.publish(score, to: ticker, expiration: 0)
        }
    },
    "broadcast-late-subscriber": scores,
    "broadcast-ends-the-activity": story { provider in
        try await provider.publish("1-0", to: final)
        try await provider.publish("2-1", to: final, event: "end")
        try await provider.delete(final)
    },
    "channel-made-answer-lost": story { provider in
        let channel = try #require(try await provider.create())
        try await provider.publish("1-0", to: channel)
        try await provider.delete(channel)
    },
    "broadcast-throttled": story { try await $0.publish("1-0", to: final) },
    "channel-management-down": story { provider in
        _ = try await provider.create()
        try await provider.publish("1-0", to: final)
    },
    "broadcast-token-expired": story { try await $0.publish("1-0", to: final) },
    "subscribers-leave": scores,
    "activity-started-on-a-channel": { provider in
        let now = provider.server.engine.gateway.withLock { $0.clock.time(at: WallClock.now()).seconds }
        let attributes = #""attributes-type":"Match","attributes":{},"alert":{"title":"Kick-off","body":"The final"}"#
        let start = #"{"aps":{"timestamp":\#(now),"event":"start","input-push-channel":"\#(final)","#
        try await provider.push(
            .init(
                device: "alice", type: "liveactivity", expiration: now + 3600,
                payload: start + #""content-state":{"score":"0-0"},\#(attributes)}}"#))
        try await story { try await $0.publish("1-0", to: final) }(provider)
    },
]

private let final = "Zm9vdGJhbGwgZmluYWwgMQ=="
private let ticker = "dGlja2VyIG9mIHNjb3Jlcw=="

/// A story of a provider that has channels.
private func story(_ body: @escaping @Sendable (GoodBroadcaster) async throws -> Void) -> Story {
    { provider in
        let broadcaster = GoodBroadcaster(provider.server)
        try await body(broadcaster)
        await broadcaster.close()
    }
}

private let scores = story { provider in
    for score in ["1-0", "2-0"] { try await provider.publish(score, to: final) }
}
