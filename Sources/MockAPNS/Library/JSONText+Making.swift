import MockAPNSCore
import MockAPNSScenario

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Values given in Swift are turned into JSON and read like a scenario: by the same reader, with the same vocabulary and
// mistakes.

extension JSONText.Value {
    init(_ text: String) { self.init(offset: 0, content: .string(text)) }
    init(_ number: Int) { self.init(offset: 0, content: .number(.init(text: String(number)))) }
    init(_ number: Double) { self.init(offset: 0, content: .number(.init(text: String(number)))) }
    init(_ bool: Bool) { self.init(offset: 0, content: .bool(bool)) }
    init(_ elements: [Self]) { self.init(offset: 0, content: .array(elements)) }
    init(_ members: [JSONText.Member]) { self.init(offset: 0, content: .object(members)) }

    /// Writes a duration in milliseconds; fractions are truncated.
    init(_ duration: Duration) { self.init("\(duration.milliseconds)ms") }

    /// Writes a date as in RFC 3339; fractions of a millisecond are truncated.
    init(_ date: Date) {
        var text: [UInt8] = []
        Timestamp(date).appendText(to: &text)
        self.init(String(decoding: text, as: UTF8.self))
    }

    /// The outage of a step or of the timeline.
    static func outage(_ reason: MockAPNSServer.Reason, for duration: Duration) -> Self {
        Self([JSONText.Member("reason", Self(reason.rawValue)), JSONText.Member("for", Self(duration))])
    }

    /// The SETTINGS of a step or of the timeline.
    static func settings(_ maxConcurrentStreams: Int, for duration: Duration?) -> Self {
        let members = [
            JSONText.Member("maxConcurrentStreams", Self(maxConcurrentStreams)),
            JSONText.Member("for", duration.map { Self($0) }),
        ]
        return Self(members.compactMap(\.self))
    }

    /// Creates the single element, or a list of all of them.
    init(oneOrMore elements: [Self]) { self = elements.count == 1 ? elements[0] : Self(elements) }
}

extension JSONText.Member {
    init(_ key: String, _ value: JSONText.Value) { self.init(key: key, keyOffset: 0, value: value) }

    /// Returns `nil` if there is no value.
    init?(_ key: String, _ value: JSONText.Value?) {
        guard let value else { return nil }
        self.init(key, value)
    }
}

extension Duration {
    /// Whole milliseconds; fractions are truncated, and a value out of range becomes the nearest one that fits.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        // Beyond the range of any clock, the exact value does not matter.
        return min(max(-1 << 50, seconds), 1 << 50) * 1000 + attoseconds / 1_000_000_000_000_000
    }
}

extension Timestamp {
    /// Converts a date; one out of range becomes the nearest one that can be written.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(milliseconds: Int64(min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)))
    }

    /// The date.
    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension [ScenarioMistake] {
    /// One line per mistake, without line numbers, for values given in Swift.
    var sentences: String { map(\.message).joined(separator: "\n") }
}
