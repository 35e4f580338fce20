/// A pattern that is undecided for ``value``, and decided for others.
package enum EndlessPattern {
    package static let text = "(?:a|a)*[bc]"
    package static let value = String(repeating: "a", count: 60) + "!"
    /// The value of `payload` in a `when` or MATCH.
    package static let payload = #"{"/t": {"matches": "\#(text)"}}"#

    package static func body(_ text: String = value) -> String { #"{"aps":{"alert":"Hello"},"t":"\#(text)"}"# }

    package static func push(_ text: String = value, _ fields: (String, String)...) -> ExamplePush {
        ExamplePush {
            $0.body = Array(body(text).utf8)
            $0.fields = fields
        }
    }
}
