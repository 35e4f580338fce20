/// What can be said of a topic by its text alone.
///
/// A topic is a bundle id, with a suffix for some push types (``PushType/topicSuffix``), or the subject of an MDM
/// certificate.
enum Topic {
    /// The longest topic: a bundle id has at most 255 bytes, and some room for the longest suffix.
    static let longest = 300

    /// What is wrong with a topic's form.
    enum Form {
        /// A plain topic: letters, digits, hyphens, underscores and dots between them.
        case good
        /// No name at all: empty, too long, with blanks, control characters, bytes beyond ASCII, or an empty part
        /// between dots.
        case malformed
        /// Printable, but with characters that no bundle id has, such as `<`, or a provider token: nobody's topic.
        case nobodys
    }

    static func form(of text: Span<UInt8>) -> Form {
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
                form = .nobodys
            default:
                return .malformed
            }
            last = byte
        }
        if last == UInt8(ascii: ".") { return .malformed }
        // A provider token may have no other characters than a bundle id; its signature must not be a topic's name.
        return TokenSignature.start(in: text) == nil ? form : .nobodys
    }

    /// Whether it is a topic of VoIP pushes, which may be larger.
    @inline(__always)
    static func isVoIP(_ text: Span<UInt8>) -> Bool {
        text.count > 5 && text.word(at: text.count - 4) == letters("v", "o", "i", "p")
            && text[text.count - 5] == UInt8(ascii: ".")
    }

    /// Whether it is the topic of an MDM certificate: `com.apple.mgmt.External.` and a UUID.
    static func isMDM(_ text: Span<UInt8>) -> Bool {
        let prefix = "com.apple.mgmt.External."
        return text.begins(with: prefix) && APNSID(text.extracting(droppingFirst: prefix.utf8.count)) != nil
    }

    /// Whether a push of that type may go to that topic, as far as the topic's suffix tells.
    static func suits(_ type: PushType, _ text: Span<UInt8>) -> Bool {
        if type == .mdm { return isMDM(text) }
        guard let suffix = type.topicSuffix else { return true }
        return text.ends(with: suffix)
    }
}

/// The topics that a team, a key or a certificate may push to. For a team and a key, a topic covers itself with each
/// suffix of ``PushType/topicSuffix``.
///
/// All texts lie in one array, so that looking through them touches no reference counts.
package struct TopicList: Sendable, ExpressibleByArrayLiteral {
    fileprivate var bytes: [UInt8] = []
    private var ranges: [ByteRange] = []

    /// The list of these topics.
    package init(_ topics: [String]) {
        for topic in topics {
            ranges.append(ByteRange(start: bytes.count, count: topic.utf8.count))
            bytes.append(contentsOf: topic.utf8)
        }
    }

    /// The list of these topics.
    package init(arrayLiteral elements: String...) { self.init(elements) }

    /// The topics as texts, in the order given.
    package var names: [String] { ranges.map { String(decoding: bytes[$0.range], as: UTF8.self) } }

    /// How many there are.
    package var count: Int { ranges.count }

    /// Whether the topic is one of these to the letter.
    func lists(_ topic: Span<UInt8>) -> Bool {
        for range in ranges where bytes.span.extracting(range.range).equals(topic) { return true }
        return false
    }

    /// Whether the topic is one of these, or one of these with a suffix.
    func covers(_ topic: Span<UInt8>) -> Bool {
        for range in ranges {
            let length = Int(range.count)
            guard topic.count >= length, topic.extracting(first: length).equals(bytes.span.extracting(range.range))
            else {
                continue
            }
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
    /// The one topic, if it is exactly one.
    var only: [UInt8]? { count == 1 ? bytes : nil }

    /// The topics for people to read; not all of them when they are many.
    var summary: String {
        let shown = names.prefix(5).map { "\"\($0)\"" }.joined(separator: ", ")
        return count == 0 ? "no topic" : count > 5 ? shown + " and \(count - 5) more" : shown
    }
}
