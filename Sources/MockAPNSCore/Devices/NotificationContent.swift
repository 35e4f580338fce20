/// What a payload asks for: an alert, a badge on the app's icon, a sound, and to wake the app.
///
/// The keys are documented in
/// [Generating a remote notification](https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification).
/// An alert without a text displays nothing, and neither does a payload that is not JSON.
struct NotificationContent: Sendable, Hashable {
    /// The keys of an alert's texts.
    static let texts = ["title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key"]

    /// Whether `aps` has an `alert` with a text.
    var hasAlert = false
    /// The `badge` of `aps`, if it is a whole number of at least 0; 0 removes the badge.
    var badge: Int32?
    /// Whether `sound` of `aps` names one.
    var hasSound = false
    /// Whether `content-available` of `aps` is 1.
    var wakesApp = false
    /// Whether `content-changed` of `aps` is true.
    var changesContent = false
    /// Whether the payload is JSON.
    var isJSON = false

    /// Whether it asks for anything that its user sees or hears.
    var showsSomething: Bool { hasAlert || badge != nil || hasSound }

    /// Whether all that a push of this type does with it is to wake the app.
    func onlyWakesApp(as type: PushType?) -> Bool {
        wakesApp && (type == .background || type == .alert && !showsSomething)
    }

    /// Parses a payload.
    init(_ payload: Span<UInt8>) {
        // Keys with escapes are rare, and left to the reader that resolves them.
        guard JSONText.isValid(payload) else { return }
        defer { isJSON = true }
        if payload.contains(UInt8(ascii: "\\")) {
            readSlowly(payload)
        } else {
            readQuickly(payload)
        }
    }

    private mutating func readSlowly(_ payload: Span<UInt8>) {
        guard let aps = try? JSONText.read(payload, .recorded)["aps"] else { return }
        hasAlert = aps["alert"]?.isSomethingToRead ?? false
        badge = Self.badge(of: aps)
        hasSound = (aps["sound"]?.string ?? aps["sound"]?["name"]?.string)?.isEmpty == false
        wakesApp = aps["content-available"]?.int64 == 1
        changesContent = aps["content-changed"]?.bool == true
    }

    /// Returns the number that the `badge` of `aps` sets.
    static func badge(of aps: JSONText.Value) -> Int32? { aps["badge"]?.int64.flatMap(badge) }

    /// Scans a valid JSON text without escapes.
    private mutating func readQuickly(_ payload: Span<UInt8>) {
        var scan = PayloadScan(payload)
        guard scan.enterObject() else { return }
        while let key = scan.nextKey() {
            guard payload.extracting(key).isText("aps") else {
                scan.skipValue()
                continue
            }
            // Of duplicate keys, the last counts.
            self = Self()
            guard scan.enterObject() else {
                scan.skipValue()
                continue
            }
            while let key = scan.nextKey() {
                let value = scan.skipValue()
                if payload.extracting(key).isText("alert") {
                    hasAlert = Self.hasText(payload.extracting(value))
                } else if payload.extracting(key).isText("badge") {
                    badge = Self.badge(payload.extracting(value))
                } else if payload.extracting(key).isText("sound") {
                    let sound = payload.extracting(value)
                    hasSound = Self.isText(sound) || Self.isNamedSound(sound)
                } else if payload.extracting(key).isText("content-available") {
                    wakesApp = Self.number(payload.extracting(value)) == 1
                } else if payload.extracting(key).isText("content-changed") {
                    changesContent = payload.extracting(value).isText("true")
                }
            }
        }
    }

    private init() {}

    /// Returns whether an alert has a text.
    private static func hasText(_ alert: Span<UInt8>) -> Bool {
        var scan = PayloadScan(alert)
        guard scan.enterObject() else { return isText(alert) }
        /// One bit for each of ``texts``.
        var found: UInt8 = 0
        while let key = scan.nextKey() {
            let value = scan.skipValue()
            guard let index = texts.firstIndex(where: { alert.extracting(key).isText($0) }) else { continue }
            // Of duplicate keys, the last counts.
            let isFound = isText(alert.extracting(value))
            if isFound { found |= 1 << index } else { found &= ~(1 << index) }
        }
        return found != 0
    }

    /// Returns whether a value is a text that is not empty.
    private static func isText(_ value: Span<UInt8>) -> Bool { value[0] == UInt8(ascii: "\"") && value.count > 2 }

    private static func badge(_ number: Int64) -> Int32? { number >= 0 ? Int32(exactly: number) : nil }

    private static func badge(_ value: Span<UInt8>) -> Int32? { number(value).flatMap(badge) }

    /// Parses a number; one with a fraction or an exponent may still be whole.
    private static func number(_ value: Span<UInt8>) -> Int64? {
        guard value.count <= 32 else { return nil }
        var text = ""
        for index in value.indices { text.unicodeScalars.append(Unicode.Scalar(value[index])) }
        return JSONText.Number(text: text).int64
    }

    /// Returns whether a sound that is an object has a name.
    private static func isNamedSound(_ value: Span<UInt8>) -> Bool {
        value[0] == UInt8(ascii: "{") && (try? JSONText.read(value, .recorded))?["name"]?.string?.isEmpty == false
    }
}

/// A cursor in a JSON text known to be valid and without escapes.
private struct PayloadScan: ~Escapable {
    private let text: Span<UInt8>
    private var offset = 0

    @_lifetime(copy text)
    init(_ text: Span<UInt8>) { self.text = text }

    /// Enters an object if one comes next; otherwise stays in front of it.
    @_lifetime(self: copy self)
    mutating func enterObject() -> Bool {
        skipSpace()
        guard text[offset] == UInt8(ascii: "{") else { return false }
        offset += 1
        return true
    }

    /// Moves past the next key of the object and its colon, or past the end of the object.
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
}
