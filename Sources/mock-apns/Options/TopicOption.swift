import ArgumentParser
import MockAPNSCore

/// The argument of `--topic`.
enum TopicOption {
    static func check(_ topic: String) throws {
        guard Topic.isName(topic) else {
            throw ValidationError(
                "--topic is \"\(topic.prefix(80))\"; it must be a bundle id: letters, digits, hyphens and dots, at most \(Topic.longestName) bytes."
            )
        }
    }
}
