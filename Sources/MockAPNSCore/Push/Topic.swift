/// The form of a topic, from its text alone.
///
/// A topic is a bundle id, with a suffix for some push types (``PushType/topicSuffix``), or the subject of an MDM
/// certificate.
package enum Topic {
    /// The maximum length of a topic in bytes: 255 for a bundle id, and room for the longest suffix.
    static let longest = 300
    /// The maximum length of a bundle id in bytes.
    package static let longestName = 255

    /// Returns whether it is well-formed and short enough for a certificate.
    package static func isName(_ text: String) -> Bool {
        text.utf8.count <= longestName && form(of: Array(text.utf8).span) == .good
    }

    /// The form of a topic.
    package enum Form {
        /// A normal topic: letters, digits, hyphens and underscores, with dots in between.
        case good
        /// Not a name at all: empty, too long, with blanks, control characters or non-ASCII bytes, or with an empty
        /// part between dots.
        case malformed
        /// Printable, but with characters that no bundle id has, such as `<`, or a provider token: no app has it.
        case unusable
    }

    package static func form(of text: Span<UInt8>) -> Form {
        guard !text.isEmpty, text.count <= longest else { return .malformed }
        var form = Form.good
        var last = UInt8(ascii: ".")
        for index in 0..<text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                break
            case UInt8(ascii: "."):
                if last == UInt8(ascii: ".") { return .malformed }
            case 0x21...0x7E:
                form = .unusable
            default:
                return .malformed
            }
            last = byte
        }
        if last == UInt8(ascii: ".") { return .malformed }
        // A provider token may consist of characters allowed in a bundle id, but its signature must not be used as a
        // topic.
        return TokenSignature.start(in: text) == nil ? form : .unusable
    }

    /// Returns whether it is a topic of VoIP pushes, which may be larger.
    @inline(__always)
    static func isVoIP(_ text: Span<UInt8>) -> Bool {
        text.count > 5 && text.word(at: text.count - 4) == letters("v", "o", "i", "p")
            && text[text.count - 5] == UInt8(ascii: ".")
    }

    /// The prefix of the topic of an MDM certificate. Usually `External.` and a UUID follow.
    static let mdmPrefix = "com.apple.mgmt."

    /// Returns whether it is the topic of an MDM certificate.
    package static func isMDM(_ text: Span<UInt8>) -> Bool {
        text.count > mdmPrefix.utf8.count && text.begins(with: mdmPrefix)
    }

    /// Returns the bundle id of a topic: the topic without the suffix of a push type.
    package static func app(of topic: String) -> String {
        for type in PushType.allCases {
            if let suffix = type.topicSuffix, topic.hasSuffix(suffix), topic.utf8.count > suffix.utf8.count {
                return String(topic.dropLast(suffix.count))
            }
        }
        return topic
    }

    /// Returns whether the suffix of the topic suits this push type.
    static func suits(_ type: PushType, _ text: Span<UInt8>) -> Bool {
        if type == .mdm { return isMDM(text) }
        guard let suffix = type.topicSuffix else { return true }
        return text.ends(with: suffix)
    }
}

/// The topics that a team, a key or a certificate may push to. For a team or a key, a topic includes all suffixes of
/// ``PushType/topicSuffix``.
///
/// All texts are in one array, so that searching them involves no reference counting.
package struct TopicList: Sendable, ExpressibleByArrayLiteral {
    fileprivate var bytes: [UInt8] = []
    private var ranges: [ByteRange] = []

    /// Creates a list of topics.
    package init(_ topics: [String]) {
        for topic in topics {
            ranges.append(ByteRange(start: bytes.count, count: topic.utf8.count))
            bytes.append(contentsOf: topic.utf8)
        }
    }

    /// Creates a list of topics.
    package init(arrayLiteral elements: String...) { self.init(elements) }

    /// The topics in the order given.
    package var names: [String] { ranges.map { String(decoding: bytes[$0.range], as: UTF8.self) } }

    /// The number of topics.
    package var count: Int { ranges.count }

    /// Returns whether the list contains exactly this topic.
    func lists(_ topic: Span<UInt8>) -> Bool {
        for range in ranges where bytes.span.extracting(range.range).equals(topic) { return true }
        return false
    }

    /// Returns whether the list contains this topic, or this topic without a suffix.
    package func covers(_ topic: Span<UInt8>) -> Bool {
        for range in ranges {
            let length = Int(range.count)
            guard topic.extracting(first: length).equals(bytes.span.extracting(range.range)) else { continue }
            if topic.count == length { return true }
            let rest = topic.extracting(droppingFirst: length)
            for type in PushType.allCases {
                if let suffix = type.topicSuffix, rest.equals(suffix) { return true }
            }
        }
        return false
    }
}

extension TopicList {
    /// The single topic, if there is exactly one.
    var only: [UInt8]? { count == 1 ? bytes : nil }

    /// The topics as text for people; not all of them if there are many.
    var summary: String {
        let shown = names.prefix(5).map { "\"\($0)\"" }.joined(separator: ", ")
        return count == 0 ? "no topic" : count > 5 ? shown + " and \(count - 5) more" : shown
    }
}
