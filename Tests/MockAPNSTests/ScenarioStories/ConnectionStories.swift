import TestSupport

/// What a good provider does in a story: the pushes that a scenario's description asks for.
typealias Story = @Sendable (GoodProvider) async throws -> Void

/// Stories about connections, by the names of their files.
let connectionStories: [String: Story] = [
    "goaway-socket-left-open": aliceThenBob,
    "goaway-mid-flight": { provider in
        try await provider.push("alice")
        try await provider.push([.init(device: "bob"), .init(device: "carol")])
    },
    "goaway-instead-of-settings": { try await $0.push("alice") },
    "goaway-twice": aliceThenBob,
    "goaway-plain-text": aliceThenBob,
    "goes-silent": { provider in
        try await provider.push("alice")
        try await provider.push("bob", patience: .seconds(1))
    },
    "silent-after-idle": { provider in
        try await provider.push("alice")
        try await provider.pingUntilSilence(patience: .seconds(1))
        try await provider.push("bob")
    },
    "pings-not-acknowledged": { provider in
        try await provider.push("alice")
        try await provider.pingUntilSilence(patience: .seconds(1))
        try await provider.push("bob")
    },
    "answers-stop-pings-work": { provider in
        try await provider.push("alice")
        try await provider.push("bob", patience: .seconds(1))
    },
    "reset-after-idle": afterTheEnd,
    "closed-after-idle": afterTheEnd,
    "silent-from-the-start": { try await $0.push("alice", patience: .seconds(1)) },
    "internal-error-until-reconnect": aliceThenBob,
    "refused-after-many-streams": { provider in
        for _ in 0..<15 { try await provider.push("alice") }
    },
    "client-certificate-expired": { try await $0.push("alice") },
    "client-certificate-revoked": { try await $0.push("alice") },
    "client-certificate-of-unknown-authority": { try await $0.push("alice") },
    "certificate-of-other-environment": { try await $0.push("alice") },
    "server-certificate-changed": { try await $0.push("alice") },
    "server-certificate-not-to-be-trusted": { try await $0.push("alice") },
]

/// One push to each, one after the other.
let aliceThenBob: Story = { provider in
    try await provider.push("alice")
    try await provider.push("bob")
}

private let afterTheEnd: Story = { provider in
    try await provider.push("alice")
    await provider.untilEnd()
    try await provider.push("bob")
}
