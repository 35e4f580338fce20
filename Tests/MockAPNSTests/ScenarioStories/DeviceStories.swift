import MockAPNSCore
import TestSupport

@testable import MockAPNS

/// Stories about devices and what is stored for them, by the names of their files.
let deviceStories: [String: Story] = [
    "offline-then-online": { try await $0.push("alice") },
    "expires-in-storage": { provider in
        try await provider.push(.init(device: "alice", expiration: WallClock.now().seconds + 3600))
    },
    "newest-wins": { provider in
        for title in ["First", "Second"] { try await provider.push(.init(device: "alice", title: title)) }
    },
    "expiration-zero-offline": { try await $0.push(.init(device: "alice", expiration: 0)) },
    "collapse-online": scores(2),
    "collapse-offline": scores(3),
    "power-saving": { provider in
        for priority in [5, 10] { try await provider.push(.init(device: "alice", priority: priority)) }
    },
    "notifications-disabled": { try await $0.push("alice") },
    "token-rotated": twice(["old-phone", "new-phone"]),
    "token-expired": { provider in
        for _ in 0..<2 {
            let update = #"{"aps":{"timestamp":1795255200,"event":"update","content-state":{}}}"#
            try await provider.push(.init(device: "live-activity", type: "liveactivity", payload: update))
            try await provider.push("alice")
        }
    },
    "activity-token-died": { provider in
        try await updates(provider)
        try await provider.push("alice")
    },
    "activity-over-after-8-hours": updates,
    "new-phone-new-token": { provider in
        for _ in 0..<3 { try await provider.push("alice") }
        let token = "97596ef717c5a795ec7080786a3c3b2c04ff91788658cbb21284725f25ec643f"
        try await provider.push(.init(device: "alice", title: "Hello again", token: token))
    },
    "activity-start-over-budget": { provider in
        for match in ["A – B", "C – D"] { try await provider.push(start(#""match":"\#(match)""#)) }
        try await provider.push(.init(device: "alice", title: "C – D has begun"))
    },
    "activity-started-twice": { provider in
        try await provider.push(start(#""score":"0-0""#))
        let first = "f0e994953fdca964abd6cbb7d4027f918fbd84bb6f5ebfae408f28a4aa597096"
        let end = #""event":"end","dismissal-date":1795255140,"content-state":{"score":"0-0"}"#
        try await provider.push(liveActivity(first, end))
        let second = "67675949604504069cf32005e716a81f275a5bb055d7aa7cace30fbb892edea0"
        try await provider.push(liveActivity(second, #""event":"update","content-state":{"score":"1-0"}"#))
    },
    "permission-denied": { provider in
        try await provider.push("alice")
        try await provider.push(background())
        try await provider.push(.init(device: "alice", title: "Hello again"))
    },
    "provisional-is-quiet": { provider in
        for title in ["Hello", "Hello again"] {
            let payload = #"{"aps":{"alert":{"title":"\#(title)"},"sound":"default"}}"#
            try await provider.push(.init(device: "alice", payload: payload))
        }
    },
    "app-in-foreground": { provider in
        let payload = #"{"aps":{"alert":{"title":"Hello"},"badge":1}}"#
        try await provider.push(.init(device: "alice", payload: payload))
        try await provider.push(.init(device: "alice", title: "Hello again"))
    },
    "app-force-quit": { provider in
        try await provider.push(background())
        for title in ["New message", "Are you there?"] {
            try await provider.push(.init(device: "alice", title: title))
        }
    },
    "language-without-strings": { provider in
        for alert in [#"{"loc-key":"GOAL","loc-args":["Lyon"]}"#, #"{"body":"But pour Lyon"}"#] {
            try await provider.push(.init(device: "alice", payload: #"{"aps":{"alert":\#(alert)}}"#))
        }
    },
    "extension-too-slow": { provider in
        for topic in ["com.example.app", "com.example.game"] {
            let payload = #"{"aps":{"alert":{"body":"You have a message"},"mutable-content":1}}"#
            try await provider.push(.init(device: "alice", topic: topic, payload: payload))
        }
    },
    "accepted-after-uninstall": { provider in
        for _ in 0..<3 { try await provider.push("alice") }
    },
    "background-flood": { provider in
        for _ in 0..<4 { try await provider.push(background()) }
    },
    "background-over-budget": { provider in
        for unread in 1...3 { try await provider.push(background(#","unread":\#(unread)"#)) }
        for unread in 3...4 { try await provider.push(.init(device: "alice", title: "\(unread) messages")) }
    },
]

private func scores(_ count: Int) -> Story {
    { provider in
        for score in 1...count {
            try await provider.push(.init(device: "alice", title: "\(score)-0", collapseID: "score"))
        }
    }
}

/// Three updates for a Live Activity of alice, by its update token.
private func updates(_ provider: GoodProvider) async throws {
    let token = "a17e1c5b60d24f3f8e9b7c6d5a4f3e2d1c0b9a8f7e6d5c4b3a2f1e0d9c8b7a6f"
    for score in ["1-0", "1-1", "2-1"] {
        let update = #""event":"update","content-state":{"score":"\#(score)"}"#
        try await provider.push(liveActivity(token, update))
    }
}

/// The start of a Live Activity, by alice's push-to-start token.
private func start(_ state: String) -> GoodProvider.Push {
    let token = "5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e"
    let keys = #""input-push-token":1,"attributes-type":"Match","attributes":{},"alert":{"title":"Kick-off"}"#
    return liveActivity(token, #""event":"start",\#(keys),"content-state":{\#(state)}"#)
}

/// A push for a Live Activity of alice, or one to start.
private func liveActivity(_ token: String, _ keys: String) -> GoodProvider.Push {
    GoodProvider.Push(
        device: "alice", type: "liveactivity", token: token, topic: "com.example.app.push-type.liveactivity",
        payload: #"{"aps":{"timestamp":1795255200,\#(keys)}}"#)
}

/// A push to alice in the background.
private func background(_ more: String = "") -> GoodProvider.Push {
    let payload = #"{"aps":{"content-available":1}\#(more)}"#
    return GoodProvider.Push(device: "alice", type: "background", priority: 5, payload: payload)
}
