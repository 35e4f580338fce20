/// What a request says, read in one pass over its header fields.
///
/// Nothing is judged here: a field is absent, unreadable or has a value, and its text stays where it is. The checks look
/// at it afterwards (``Check``).
///
/// Values are taken as they came: a blank before a number makes it unreadable, as it does for APNs.
package struct Push: Sendable {
    /// What a field with a value of a certain kind says.
    package enum Field<Value: Sendable>: Sendable {
        /// The field is absent.
        case absent
        /// There is one, and its value is of another kind.
        case unreadable
        /// Its value.
        case value(Value)

        /// The value, if there is a readable one.
        @inline(__always)
        package var value: Value? {
            if case .value(let value) = self { value } else { nil }
        }

        @inline(__always)
        fileprivate init(_ value: Value?) {
            if let value { self = .value(value) } else { self = .unreadable }
        }
    }

    /// What `:path` asks for.
    package enum Path: Sendable {
        /// Something else than `/3/device/` and a token.
        case other
        /// `/3/device/` with this after it, which may be nothing.
        case device(ByteRange)
    }

    // Where the value of each field is that the request has; that of the first, when it is repeated.

    /// Where the value of `:method` is.
    package private(set) var method: ByteRange?
    /// Where the value of `:path` is.
    package private(set) var pathText: ByteRange?
    /// Where the value of `authorization` is.
    package private(set) var authorization: ByteRange?
    /// Where the value of `apns-id` is.
    package private(set) var apnsIDText: ByteRange?
    /// Where the value of `apns-topic` is.
    package private(set) var topic: ByteRange?
    /// Where the value of `apns-push-type` is.
    package private(set) var pushTypeText: ByteRange?
    /// Where the value of `apns-priority` is.
    package private(set) var priorityText: ByteRange?
    /// Where the value of `apns-expiration` is.
    package private(set) var expirationText: ByteRange?
    /// Where the value of `apns-collapse-id` is.
    package private(set) var collapseID: ByteRange?

    /// Whether the method is `POST`.
    package private(set) var isPOST = false
    /// Whether the method is `HEAD`, whose answer has no body (RFC 9110, section 9.3.2).
    package private(set) var isHEAD = false
    /// What the path asks for.
    package private(set) var path = Path.other
    /// The device token in the path, if it is one by its form.
    package private(set) var deviceToken: DeviceToken?
    /// What the text of the topic alone tells; ``Topic/Form/malformed`` without one.
    private(set) var topicForm = Topic.Form.malformed
    /// The `apns-id`.
    package private(set) var apnsID = Field<APNSID>.absent
    /// The `apns-push-type`.
    package private(set) var pushType = Field<PushType>.absent
    /// The `apns-priority`.
    package private(set) var priority = Field<Priority>.absent
    /// The `apns-expiration`, in seconds since 1970.
    package private(set) var expiration = Field<Int64>.absent

    /// The first field that APNs knows and that came twice, with its second value.
    package private(set) var repeated: (name: HeaderName, value: ByteRange)?

    /// Whether it is a push of type `background` that says priority 10: an error, says Apple's page.
    @inline(__always)
    var isBackgroundOfPriority10: Bool { pushType.value == .background && priority.value == .immediate }

    /// Reads the fields that are in the first `headerLength` bytes.
    package init(_ bytes: Span<UInt8>, headerLength: Int) {
        var fields = HeaderFields(in: 0..<headerLength)
        while let field = fields.next(in: bytes) {
            guard let name = HeaderName(bytes.extracting(field.name.range)) else { continue }
            take(name, field.value, bytes)
        }
    }

    @inline(__always)
    private mutating func take(_ name: HeaderName, _ range: ByteRange, _ bytes: Span<UInt8>) {
        let value = bytes.extracting(range.range)
        switch name {
        case .method:
            guard Self.isFirst(&method, name, range, &repeated) else { return }
            isPOST = value.count == 4 && value.word(at: 0) == letters("P", "O", "S", "T")
            isHEAD = value.count == 4 && value.word(at: 0) == letters("H", "E", "A", "D")
        case .path:
            guard Self.isFirst(&pathText, name, range, &repeated) else { return }
            guard Self.isPathOfADevice(value) else { return }
            let text = value.extracting(droppingFirst: Self.pathPrefixLength)
            deviceToken = DeviceToken(hex: text)
            // A further slash makes another path; anything else belongs to the token, a query too.
            if deviceToken == nil, text.contains(UInt8(ascii: "/")) { return }
            path = .device(ByteRange(start: Int(range.start) + Self.pathPrefixLength, count: text.count))
        case .authorization:
            _ = Self.isFirst(&authorization, name, range, &repeated)
        case .apnsID:
            guard Self.isFirst(&apnsIDText, name, range, &repeated) else { return }
            apnsID = Field(APNSID(value))
        case .topic:
            guard Self.isFirst(&topic, name, range, &repeated) else { return }
            topicForm = Topic.form(of: value)
        case .pushType:
            guard Self.isFirst(&pushTypeText, name, range, &repeated) else { return }
            pushType = Field(PushType(value))
        case .priority:
            guard Self.isFirst(&priorityText, name, range, &repeated) else { return }
            priority = Field(Priority(value))
        case .expiration:
            guard Self.isFirst(&expirationText, name, range, &repeated) else { return }
            expiration = Field(Expiration.seconds(value))
        case .collapseID:
            _ = Self.isFirst(&collapseID, name, range, &repeated)
        }
    }

    /// The length of `/3/device/`.
    private static let pathPrefixLength = 10

    @inline(__always)
    private static func isPathOfADevice(_ path: Span<UInt8>) -> Bool {
        path.count >= pathPrefixLength && path.word(at: 0) == letters("/", "3", "/", "d")
            && path.word(at: 4) == letters("e", "v", "i", "c") && path[8] == UInt8(ascii: "e")
            && path[9] == UInt8(ascii: "/")
    }

    @inline(__always)
    private static func isFirst(
        _ stored: inout ByteRange?, _ name: HeaderName, _ range: ByteRange,
        _ repeated: inout (name: HeaderName, value: ByteRange)?
    ) -> Bool {
        if stored == nil {
            stored = range
            return true
        }
        if repeated == nil { repeated = (name, range) }
        return false
    }
}

/// How soon and at what cost a push is delivered: the value of `apns-priority`.
package enum Priority: UInt8, Sendable {
    /// At once.
    case immediate = 10
    /// With regard to the device's power; may come in groups.
    case powerConsiderate = 5
    /// Power above all: the device is not woken.
    case powerFirst = 1

    /// The priority of exactly that text: `10`, `5` or `1`.
    @inline(__always)
    init?(_ text: Span<UInt8>) {
        if text.count == 2, text[0] == UInt8(ascii: "1"), text[1] == UInt8(ascii: "0") {
            self = .immediate
        } else if text.count == 1, text[0] == UInt8(ascii: "5") {
            self = .powerConsiderate
        } else if text.count == 1, text[0] == UInt8(ascii: "1") {
            self = .powerFirst
        } else {
            return nil
        }
    }
}

/// Until when a push is worth delivering: the value of `apns-expiration`.
enum Expiration {
    /// The seconds since 1970: any integer of 64 bits, with or without a sign.
    static func seconds(_ text: Span<UInt8>) -> Int64? {
        guard !text.isEmpty else { return nil }
        let isNegative = text[0] == UInt8(ascii: "-")
        var index = isNegative || text[0] == UInt8(ascii: "+") ? 1 : 0
        guard index < text.count else { return nil }
        var value: Int64 = 0
        while index < text.count {
            let digit = Int64(text[index]) - Int64(UInt8(ascii: "0"))
            guard 0...9 ~= digit else { return nil }
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(isNegative ? -digit : digit)
            guard !overflow, !carry else { return nil }
            value = sum
            index += 1
        }
        return value
    }
}
