import MockAPNSCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockAPNSServer {
    /// A member of a scenario that is said in Swift: see ``ScenarioSource/swift(_:fileID:line:)``.
    public struct ScenarioMember: Sendable, CustomStringConvertible {
        let member: JSONText.Member

        private init(_ key: String, _ value: JSONText.Value) { member = JSONText.Member(key, value) }

        private init(_ key: String, _ elements: [JSONText.Value]) { self.init(key, JSONText.Value(elements)) }

        /// A clock that stands still until it is moved.
        ///
        /// - Parameters:
        ///   - date: what it shows first; `nil`: the present.
        ///   - judgesProviderTokens: whether it says how old provider tokens are; otherwise the real time does.
        public static func manualClock(from date: Date? = nil, judgesProviderTokens: Bool = false) -> Self {
            Self(
                "clock",
                JSONText.Value(
                    [
                        JSONText.Member("manual", date.map { JSONText.Value($0) } ?? JSONText.Value("now")),
                        JSONText.Member("providerTokens", judgesProviderTokens ? JSONText.Value(true) : nil),
                    ].compactMap(\.self)))
        }

        /// The devices.
        public static func devices(_ devices: Device...) -> Self { Self("devices", devices.map(\.json)) }

        /// The rules; the first that matches decides.
        public static func rules(_ rules: Rule...) -> Self { Self("rules", rules.map(\.json)) }

        /// The events that happen by themselves.
        public static func timeline(_ entries: TimelineEntry...) -> Self { Self("timeline", entries.map(\.json)) }

        /// The expectations of the provider.
        public static func expect(_ expectations: Expectation...) -> Self { Self("expect", expectations.map(\.json)) }

        /// Any other member, as in JSON: `.member("unknownDevices", "reject")`.
        public static func member(_ key: String, _ value: JSONValue) -> Self { Self(key, value.core) }

        /// As in a scenario.
        public var description: String { JSONText.Value([member]).text }
    }
}
