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
