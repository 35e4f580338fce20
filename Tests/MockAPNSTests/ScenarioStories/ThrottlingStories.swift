import TestSupport

/// Stories about throttling and provider tokens, by the names of their files.
let throttlingStories: [String: Story] = [
    "expired-token-wedges-connection": aliceBobCarol,
    "expired-token-for-ever": { try await $0.push("alice") },
    "one-token-for-all": aliceBobCarol,
    "too-many-token-updates": aliceThenBob,
    "two-teams": { provider in
        for _ in 0..<2 {
            try await provider.push("alice")
            try await provider.push("bob")
        }
    },
    "sporadic-invalid-token": aliceBobCarol,
    "one-stream-at-start": { provider in
        try await provider.push(["alice", "bob", "carol"].map { .init(device: $0) })
    },
    "limit-falls-in-flight": { provider in
        try await provider.push("alice")
        try await provider.push(["bob", "carol", "dave"].map { .init(device: $0) })
    },
    "limit-zero-for-a-while": aliceThenBob,
    "stream-refused": aliceBobCarol,
    "stream-refused-and-closed": aliceThenBob,
    "key-revoked-in-mid-run": aliceThenBob,
    "too-many-requests": { provider in
        for _ in 0..<2 { try await provider.push("alice") }
    },
]

private let aliceBobCarol: Story = { provider in
    for device in ["alice", "bob", "carol"] { try await provider.push(device) }
}
