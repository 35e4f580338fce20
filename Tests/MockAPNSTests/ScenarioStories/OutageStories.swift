import TestSupport

/// Stories about outages, by the names of their files.
let outageStories: [String: Story] = [
    "outage-window": aliceThenBob,
    "brown-out": { provider in
        try await provider.push((0..<100).map { .init(device: "alice", title: "\($0)") })
    },
    "rolling-restart": { provider in
        for _ in 0..<6 { try await provider.push("alice") }
    },
]

/// Stories about what is legal but was never seen from APNs, by the names of their files.
let hostileStories: [String: Story] = [
    "error-without-body": aliceThenBob,
    "error-body-split": aliceThenBob,
    "error-body-then-empty-frame": aliceThenBob,
    "error-not-json": aliceThenBob,
    "unknown-reason": aliceThenBob,
    "apns-id-missing": aliceThenBob,
    "apns-id-other-case": aliceThenBob,
    "trailers": aliceThenBob,
    "informational-first": aliceThenBob,
    "settings-flood": aliceThenBob,
    "unknown-frame": aliceThenBob,
    "window-stall": { provider in
        try await provider.push("alice")
        let payload = payload(ofBytes: 400)
        try await provider.push(.init(device: "bob", payload: payload), patience: .seconds(1))
    },
    "retry-after": { try await $0.push([.init(device: "alice"), .init(device: "bob")]) },
]
