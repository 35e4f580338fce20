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
    "accepted-after-uninstall": { provider in
        for _ in 0..<3 { try await provider.push("alice") }
    },
    "background-flood": { provider in
        for _ in 0..<4 {
            let payload = #"{"aps":{"content-available":1}}"#
            try await provider.push(.init(device: "alice", type: "background", priority: 5, payload: payload))
        }
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
    for score in ["1-0", "1-1", "2-1"] {
        let content = #"{"aps":{"timestamp":1795255200,"event":"update","content-state":{"score":"\#(score)"}}}"#
        try await provider.push(
            .init(
                device: "alice", type: "liveactivity",
                token: "a17e1c5b60d24f3f8e9b7c6d5a4f3e2d1c0b9a8f7e6d5c4b3a2f1e0d9c8b7a6f",
                topic: "com.example.app.push-type.liveactivity", payload: content))
    }
}
