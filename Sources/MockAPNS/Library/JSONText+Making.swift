import MockAPNSCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// What is said in Swift becomes JSON, and is read like a scenario: by the one reader, with the same words and mistakes.

extension JSONText.Value {
    init(_ text: String) { self.init(offset: 0, content: .string(text)) }
    init(_ number: Int) { self.init(offset: 0, content: .number(.init(text: String(number)))) }
    init(_ number: Double) { self.init(offset: 0, content: .number(.init(text: String(number)))) }
    init(_ bool: Bool) { self.init(offset: 0, content: .bool(bool)) }
    init(_ elements: [Self]) { self.init(offset: 0, content: .array(elements)) }
    init(_ members: [JSONText.Member]) { self.init(offset: 0, content: .object(members)) }

    /// In milliseconds; what is less than one is cut off.
    init(_ duration: Duration) { self.init("\(duration.milliseconds)ms") }

    /// As in RFC 3339; what is less than a millisecond is cut off.
    init(_ date: Date) {
        var text: [UInt8] = []
        Timestamp(date).appendText(to: &text)
        self.init(String(decoding: text, as: UTF8.self))
    }

    /// The only element, or all of them as a list.
    init(oneOrMore elements: [Self]) { self = elements.count == 1 ? elements[0] : Self(elements) }
}

extension JSONText.Member {
    init(_ key: String, _ value: JSONText.Value) { self.init(key: key, keyOffset: 0, value: value) }

    /// `nil` where there is no value.
    init?(_ key: String, _ value: JSONText.Value?) {
        guard let value else { return nil }
        self.init(key, value)
    }
}

extension Duration {
    /// Whole milliseconds; what is less is cut off, and more than fits is the most.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        // More than any clock can show is as good as the most.
        return min(max(-1 << 50, seconds), 1 << 50) * 1000 + attoseconds / 1_000_000_000_000_000
    }
}

extension Timestamp {
    /// A date; one beyond what can be written is the last or first that can.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(milliseconds: Int64(min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)))
    }

    /// The date.
    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension [ScenarioMistake] {
    /// A line for each, for what was said in Swift: without line numbers.
    var sentences: String { map(\.message).joined(separator: "\n") }
}
