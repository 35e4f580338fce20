/// What a payload makes a device show: whether there is something to read, and which number the app's icon gets.
///
/// [Generating a remote notification](https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification)
/// has the keys. An empty alert shows nothing. What is not JSON shows nothing either.
struct NotificationContent: Sendable, Hashable {
    /// Whether `aps` has an `alert` with something in it.
    var hasAlert = false
    /// `badge` of `aps`, if it is a whole number from 0 on; 0 takes the number away.
    var badge: Int32?

    /// Reads a payload.
    init(_ payload: Span<UInt8>) {
        // Keys with escapes are rare, and left to the reader that resolves them.
        guard JSONText.isValid(payload) else { return }
        if payload.contains(UInt8(ascii: "\\")) {
            readSlowly(payload)
        } else {
            readQuickly(payload)
        }
    }

    /// Whether a payload may have a `badge`: false is certain, and cheaper to find out than what it is.
    static func mayHaveBadge(_ payload: Span<UInt8>) -> Bool {
        for index in payload.indices {
            switch payload[index] {
            case UInt8(ascii: "\\"): return true
            case UInt8(ascii: "b") where payload.extracting(index...).begins(with: "badge"): return true
            default: break
            }
        }
        return false
    }

    private mutating func readSlowly(_ payload: Span<UInt8>) {
        guard let aps = try? JSONText.read(payload, .recorded)["aps"] else { return }
        switch aps["alert"]?.content {
        case .string(let text): hasAlert = !text.isEmpty
        case .object(let members): hasAlert = !members.isEmpty
        default: break
        }
        badge = Self.badge(of: aps)
    }

    /// The number that `badge` of `aps` sets.
    static func badge(of aps: JSONText.Value) -> Int32? { aps["badge"]?.int64.flatMap(badge) }

    /// Goes through a text that is JSON and has no escapes.
    private mutating func readQuickly(_ payload: Span<UInt8>) {
        var scan = PayloadScan(payload)
        guard scan.enterObject() else { return }
        while let key = scan.nextKey() {
            guard payload.extracting(key).isText("aps") else {
                scan.skipValue()
                continue
            }
            // Of two with one key the last counts.
            self = Self()
            guard scan.enterObject() else {
                scan.skipValue()
                continue
            }
            while let key = scan.nextKey() {
                let value = scan.skipValue()
                if payload.extracting(key).isText("alert") {
                    hasAlert = Self.isSomething(payload.extracting(value))
                } else if payload.extracting(key).isText("badge") {
                    badge = Self.badge(payload.extracting(value))
                }
            }
        }
    }

    private init() {}

    private static func isSomething(_ value: Span<UInt8>) -> Bool {
        switch value[0] {
        case UInt8(ascii: "\""): return value.count > 2
        case UInt8(ascii: "{"):
            var index = 1
            while value[index].isJSONSpace { index += 1 }
            return value[index] != UInt8(ascii: "}")
        default: return false
        }
    }

    private static func badge(_ number: Int64) -> Int32? { number >= 0 ? Int32(exactly: number) : nil }

    private static func badge(_ value: Span<UInt8>) -> Int32? {
        guard value[0].isDigit, value.count <= 32 else { return nil }
        var number: Int64 = 0
        for index in value.indices {
            guard value[index].isDigit, index < 18 else { return oddBadge(value) }
            number = number * 10 + Int64(value[index] & 15)
        }
        return badge(number)
    }

    /// A number with a fraction or an exponent may be whole all the same.
    private static func oddBadge(_ value: Span<UInt8>) -> Int32? {
        var text = ""
        for index in value.indices { text.unicodeScalars.append(Unicode.Scalar(value[index])) }
        return JSONText.Number(text: text).int64.flatMap(badge)
    }
}

/// A cursor in a JSON text that is known to be valid and to have no escapes.
private struct PayloadScan: ~Escapable {
    private let text: Span<UInt8>
    private var offset = 0

    @_lifetime(copy text)
    init(_ text: Span<UInt8>) { self.text = text }

    /// Goes into an object whose beginning comes next; stays before anything else.
    @_lifetime(self: copy self)
    mutating func enterObject() -> Bool {
        skipSpace()
        guard text[offset] == UInt8(ascii: "{") else { return false }
        offset += 1
        return true
    }

    /// Goes behind the next key of the object and its colon; behind the object when there is none.
    @_lifetime(self: copy self)
    mutating func nextKey() -> Range<Int>? {
        skipSpace()
        if text[offset] == UInt8(ascii: ",") {
            offset += 1
            skipSpace()
        }
        if text[offset] == UInt8(ascii: "}") {
            offset += 1
            return nil
        }
        let start = offset + 1
        skipString()
        let end = offset - 1
        skipSpace()
        offset += 1
        return start..<end
    }

    @discardableResult
    @_lifetime(self: copy self)
    mutating func skipValue() -> Range<Int> {
        skipSpace()
        let start = offset
        var depth = 0
        repeat {
            switch text[offset] {
            case UInt8(ascii: "\""): skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                offset += 1
            default:
                if depth == 0 { skipWord() } else { offset += 1 }
            }
        } while depth > 0
        return start..<offset
    }

    @_lifetime(self: copy self)
    private mutating func skipWord() {
        while offset < text.count {
            switch text[offset] {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return
            case let byte where byte.isJSONSpace: return
            default: offset += 1
            }
        }
    }

    @_lifetime(self: copy self)
    private mutating func skipString() {
        offset += 1
        while text[offset] != UInt8(ascii: "\"") { offset += 1 }
        offset += 1
    }

    @_lifetime(self: copy self)
    private mutating func skipSpace() {
        while offset < text.count, text[offset].isJSONSpace { offset += 1 }
    }
}

extension Span<UInt8> {
    @inline(__always)
    fileprivate func isText(_ text: String) -> Bool {
        count == text.utf8.count && begins(with: text)
    }
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
    fileprivate var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
}
