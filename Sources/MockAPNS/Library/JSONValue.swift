import MockAPNSCore

extension MockAPNSServer {
    /// A JSON value, such as a payload.
    ///
    /// ```swift
    /// #expect(pushes[0].payload(at: "/aps/alert/title") == "2-1")
    /// #expect(pushes[0].payload?["aps"]?["badge"] == 3)
    /// ```
    ///
    /// Two are equal when they mean the same: numbers by what they are worth, members in any order.
    public struct JSONValue: Sendable, Equatable, CustomStringConvertible {
        let core: JSONText.Value

        init(_ core: JSONText.Value) { self.core = core }

        /// A payload as it was sent; `nil` when it is not JSON.
        init?(text: [UInt8]) {
            guard let core = try? JSONText.read(text, .recorded) else { return nil }
            self.core = core
        }

        /// The members, if it is an object; the last one of each key.
        public var object: [String: JSONValue]? {
            core.object.map { Dictionary($0.map { ($0.key, JSONValue($0.value)) }) { $1 } }
        }
        /// The elements, if it is an array.
        public var array: [JSONValue]? { core.array?.map(JSONValue.init) }
        /// The text, if it is a string.
        public var string: String? { core.string }
        /// The number, if it is one, whole and of 64 bits.
        public var int: Int? { core.int64.map(Int.init) }
        /// The number, if it is one.
        public var double: Double? { core.double }
        /// True or false, if it is that.
        public var bool: Bool? { core.bool }
        /// Whether it is `null`.
        public var isNull: Bool { core.isNull }

        /// The value of a member; `nil` for none, or when this is no object.
        public subscript(key: String) -> JSONValue? { core[key].map(JSONValue.init) }
        /// An element; `nil` beyond the end, or when this is no array.
        public subscript(index: Int) -> JSONValue? { core[index].map(JSONValue.init) }

        /// What a JSON Pointer such as `/aps/alert/title` leads to (RFC 6901); `nil` when there is no such thing.
        public func value(at pointer: String) -> JSONValue? {
            JSONPointer(pointer).flatMap { core[$0] }.map(JSONValue.init)
        }

        /// The text without insignificant white space; numbers keep their digits, members their order.
        public var description: String { core.text }

        /// Whether both mean the same.
        public static func == (one: Self, other: Self) -> Bool { one.core.means(other.core) }
    }
}

extension MockAPNSServer.JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self.init(JSONText.Value(value)) }
    /// A whole number.
    public init(integerLiteral value: Int) { self.init(JSONText.Value(value)) }
    /// A number.
    public init(floatLiteral value: Double) { self.init(JSONText.Value(value)) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self.init(JSONText.Value(value)) }
    /// An array of these elements.
    public init(arrayLiteral elements: Self...) { self.init(JSONText.Value(elements.map(\.core))) }
    /// An object of these members, in this order.
    public init(dictionaryLiteral elements: (String, Self)...) {
        self.init(JSONText.Value(elements.map { JSONText.Member($0.0, $0.1.core) }))
    }

    /// `null`.
    public static let null = Self(JSONText.Value(offset: 0, content: .null))
}
