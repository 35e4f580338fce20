import Foundation
package import Testing

@testable package import MockAPNS

extension Duration {
    /// How long a test waits for what has to come. It ends a test that hangs and judges no speed: a machine may be slow,
    /// and busy with other tests.
    package static let patience = Duration.seconds(300)
}

package struct NeverHeld: Error {}

/// Waits until something holds that nothing announces.
package func until(_ holds: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .patience
    while try await !holds() {
        guard ContinuousClock.now < deadline else { throw NeverHeld() }
        try await Task.sleep(for: .milliseconds(5))
    }
}

extension MockAPNSServer {
    /// Waits until something holds that no client is told of.
    package func until(_ holds: (MockAPNSServer) throws -> Bool) async throws {
        try await TestSupport.until { try holds(self) }
    }
}

extension Trait where Self == ConditionTrait {
    /// For what measures memory or time, or moves so much that a sanitizer takes minutes over it.
    package static var withoutSanitizer: Self {
        .disabled(
            if: ProcessInfo.processInfo.environment["MOCK_APNS_SANITIZER"] != nil,
            "A sanitizer takes memory and time of its own.")
    }
}
