import MockAPNSCore

extension MockAPNSServer {
    /// A JSON value, such as a payload.
    ///
    /// ```swift
    /// #expect(pushes[0].payload(at: "/aps/alert/title") == "2-1")
    /// #expect(pushes[0].payload?["aps"]?["badge"] == 3)
    /// ```
    ///
    /// Two values are equal if they mean the same: numbers are compared by value, and the order of members does not
    /// matter.
    public struct JSONValue: Sendable, Equatable, CustomStringConvertible {
        let core: JSONText.Value

        init(_ core: JSONText.Value) { self.core = core }

        /// Reads a payload as sent; returns `nil` if it is not JSON.
        init?(text: [UInt8]) {
            guard let core = try? JSONText.read(text, .recorded) else { return nil }
            self.core = core
        }

        /// The members, if it is an object; if a key is repeated, its last one.
        public var object: [String: JSONValue]? {
            core.object.map { Dictionary($0.map { ($0.key, JSONValue($0.value)) }) { $1 } }
        }
        /// The elements, if it is an array.
        public var array: [JSONValue]? { core.array?.map(JSONValue.init) }
        /// The text, if it is a string.
        public var string: String? { core.string }
        /// The number, if it is an integer of 64 bits.
        public var int: Int? { core.int64.map(Int.init) }
        /// The number, if it is one.
        public var double: Double? { core.double }
        /// The value, if it is `true` or `false`.
        public var bool: Bool? { core.bool }
        /// Whether it is `null`.
        public var isNull: Bool { core.isNull }

        /// Returns the value of a member; `nil` if there is none or this is not an object.
        public subscript(key: String) -> JSONValue? { core[key].map(JSONValue.init) }
        /// Returns an element; `nil` if out of range or this is not an array.
        public subscript(index: Int) -> JSONValue? { core[index].map(JSONValue.init) }

        /// Returns the value that a JSON Pointer such as `/aps/alert/title` refers to (RFC 6901); `nil` if there is
        /// none.
        public func value(at pointer: String) -> JSONValue? {
            JSONPointer(pointer).flatMap { core[$0] }.map(JSONValue.init)
        }

        /// The text without insignificant whitespace; numbers keep their digits, and members their order.
        public var description: String { core.text }

        /// Returns whether both mean the same.
        public static func == (one: Self, other: Self) -> Bool { one.core.means(other.core) }
    }
}

extension MockAPNSServer.JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self.init(JSONText.Value(value)) }
    /// Creates an integer.
    public init(integerLiteral value: Int) { self.init(JSONText.Value(value)) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self.init(JSONText.Value(value)) }
    /// Creates `true` or `false`.
    public init(booleanLiteral value: Bool) { self.init(JSONText.Value(value)) }
    /// Creates an array of these elements.
    public init(arrayLiteral elements: Self...) { self.init(JSONText.Value(elements.map(\.core))) }
    /// Creates an object with these members, in this order.
    public init(dictionaryLiteral elements: (String, Self)...) {
        self.init(JSONText.Value(elements.map { JSONText.Member($0.0, $0.1.core) }))
    }

    /// `null`.
    public static let null = Self(JSONText.Value(offset: 0, content: .null))
}
