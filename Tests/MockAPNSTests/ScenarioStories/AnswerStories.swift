import TestSupport

/// Stories about answers, by the names of their files.
let answerStories: [String: Story] = [
    "tour": { provider in
        for title in ["1-0", "2-1"] {
            try await provider.push(.init(device: "alice", title: title, collapseID: "score"))
        }
    },
    "fails-twice-then-works": { try await $0.push("alice") },
    "slow-answer": { provider in
        try await provider.push(.init(device: "alice", collapseID: "slow"), patience: .milliseconds(100))
    },
    "answer-lost": { try await $0.push(.init(device: "alice", collapseID: "lost")) },
    "answer-in-drops": { try await $0.push("alice") },
    "unregistered": twice(["alice", "bob"]),
    "registered-again-after-410": { provider in
        await provider.register("alice")
        for _ in 0..<2 { try await provider.push("alice") }
    },
    "new-reasons": { provider in
        for device in ["alice", "bob", "carol", "dave"] { try await provider.push(device) }
    },
    "bad-tokens-end-the-connection": twice(["alice", "stale-1", "stale-2", "bob"]),
    "environment-mismatch": twice(["alice", "bob", "carol"]),
    "two-apps-one-client": aliceThenBob,
    "payload-too-large": { provider in
        try await provider.push(.init(device: "alice", payload: payload(ofBytes: 4096)))
        try await provider.push(.init(device: "bob", payload: payload(ofBytes: 4097)))
    },
    "which-reasons-remove-a-token": twice(["alice", "bob", "carol", "dave", "erin", "frank"]),
]

/// Pushes to all, and again to all that are left.
func twice(_ devices: [String]) -> Story {
    { provider in
        for device in devices + devices { try await provider.push(device) }
    }
}

func payload(ofBytes count: Int) -> String {
    let frame = #"{"aps":{"alert":""}}"#
    return #"{"aps":{"alert":"\#(String(repeating: "x", count: count - frame.utf8.count))"}}"#
}
