/// The content of a request, parsed in one pass over its header fields.
///
/// Nothing is checked here: a field is absent, unreadable or has a value, and its text stays in place. The checks come
/// afterwards (``Check``).
///
/// Values are taken exactly as received: a space before a number makes it unreadable, as it does for APNs.
package struct Push: Sendable {
    /// A header field with a value of a given type.
    package enum Field<Value: Sendable>: Sendable {
        /// The field is absent.
        case absent
        /// The field is present, but its value is of another type.
        case unreadable
        /// The value of the field.
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

    /// The meaning of `:path`.
    package enum Path: Sendable {
        /// Anything else.
        case other
        /// `/3/device/` followed by this, which may be empty.
        case device(ByteRange)
        /// A path about broadcast channels, with the range of its bundle id, which is empty for an unknown one.
        case call(CallPath, bundle: ByteRange)
    }

    // The range of each field's value, if present; of the first one if the field is repeated.

    /// The range of the `:method` value.
    package private(set) var method: ByteRange?
    /// The range of the `:path` value.
    package private(set) var pathText: ByteRange?
    /// The range of the `authorization` value.
    package private(set) var authorization: ByteRange?
    /// The range of the `apns-id` value.
    package private(set) var apnsIDText: ByteRange?
    /// The range of the `apns-topic` value.
    package private(set) var topic: ByteRange?
    /// The range of the `apns-push-type` value.
    package private(set) var pushTypeText: ByteRange?
    /// The range of the `apns-priority` value.
    package private(set) var priorityText: ByteRange?
    /// The range of the `apns-expiration` value.
    package private(set) var expirationText: ByteRange?
    /// The range of the `apns-collapse-id` value.
    package private(set) var collapseID: ByteRange?

    /// Whether the method is `POST`.
    package private(set) var isPOST = false
    /// Whether the method is `HEAD`, whose answer has no body (RFC 9110, section 9.3.2).
    package private(set) var isHEAD = false
    /// The meaning of the path.
    package private(set) var path = Path.other
    /// The device token in the path, if it is well-formed.
    package private(set) var deviceToken: DeviceToken?
    /// The form of the topic, from its text alone; ``Topic/Form/malformed`` without a topic.
    private(set) var topicForm = Topic.Form.malformed
    /// The `apns-id`.
    package private(set) var apnsID = Field<APNSID>.absent
    /// The `apns-push-type`.
    package private(set) var pushType = Field<PushType>.absent
    /// The `apns-priority`.
    package private(set) var priority = Field<Priority>.absent
    /// The `apns-expiration`, in seconds since 1970.
    package private(set) var expiration = Field<Int64>.absent

    /// The first field known to APNs that is repeated, with its second value.
    package private(set) var repeated: (name: HeaderName, value: ByteRange)?

    /// Whether it is a push of type `background` with priority 10, an error according to Apple's page.
    @inline(__always)
    var isBackgroundOfPriority10: Bool { pushType.value == .background && priority.value == .immediate }

    /// Parses the fields in the first `headerLength` bytes.
    package init(_ bytes: Span<UInt8>, headerLength: Int) {
        var fields = HeaderFields(length: headerLength)
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
            guard Self.isPathOfADevice(value) else {
                if let (call, bundle) = CallPath.read(value) {
                    path = .call(
                        call, bundle: ByteRange(start: Int(range.start) + bundle.lowerBound, count: bundle.count))
                }
                return
            }
            let text = value.extracting(droppingFirst: Self.pathPrefixLength)
            deviceToken = DeviceToken(hex: text)
            // Another slash makes it a different path; anything else belongs to the token, even a query.
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

/// The delivery priority of a push: the value of `apns-priority`.
package enum Priority: UInt8, Sendable {
    /// Immediate delivery.
    case immediate = 10
    /// Delivery that considers the device's power; may be grouped.
    case powerConsiderate = 5
    /// Delivery that puts power first: the device is not woken.
    case powerFirst = 1

    /// Parses exactly `10`, `5` or `1`.
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

/// The expiration of a push: the value of `apns-expiration`.
enum Expiration {
    /// Parses seconds since 1970: any 64-bit integer, with or without a sign.
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
