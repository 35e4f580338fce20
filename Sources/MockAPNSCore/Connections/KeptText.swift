/// Bounds for texts of a connection whose length the client chooses.
enum KeptText {
    /// Maximum length of a text in bytes.
    static let limit = 1024
    /// Maximum size of a certificate's topics in bytes, counting ``topicSize`` for each beside its name.
    static let topics = 16_384
    /// The size that a topic counts in addition to its name.
    static let topicSize = 16

    /// Returns the text, cut if it is too long, and then with its length.
    static func cut(_ text: String) -> String {
        let length = text.utf8.count
        guard length > limit else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: limit)
        // Not in the middle of a character.
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return "\(text[..<end])… (cut from \(length.withCommas) bytes)"
    }

    /// Returns the first topics of a certificate, as many as are kept.
    static func first(of topics: [String]) -> ArraySlice<String> {
        var size = 0
        return topics.prefix { topic in
            size += topic.utf8.count + topicSize
            return size <= Self.topics
        }
    }
}
