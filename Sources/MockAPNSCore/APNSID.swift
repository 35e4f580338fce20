/// The text of an `apns-id` or `apns-unique-id`: 36 bytes, 8-4-4-4-12 hexadecimal digits.
///
/// The exact text is kept, not the 128 bits, because APNs echoes a client's id byte for byte and clients find their
/// pending request by it.
public struct APNSID: Sendable {
    public static let length = 36

    public var bytes: InlineArray<36, UInt8>

    /// An id that a client sent, if it is one: hexadecimal digits of either case with hyphens at their places.
    public init?(_ text: Span<UInt8>) {
        guard text.count == Self.length else { return nil }
        bytes = InlineArray(repeating: 0)
        for index in 0..<Self.length {
            let byte = text[index]
            switch index {
            case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return nil }
            default: guard byte.isHexDigit else { return nil }
            }
            bytes[index] = byte
        }
    }

    /// An id of the server's own making: 128 random bits, which is what APNs sends, not a UUID of version 4.
    public init(high: UInt64, low: UInt64, uppercase: Bool) {
        bytes = InlineArray(repeating: UInt8(ascii: "-"))
        let letters = (uppercase ? UInt8(ascii: "A") : UInt8(ascii: "a")) - 10
        var place = 0
        for word in [high, low] {
            for shift in stride(from: UInt64(60), through: 0, by: -4) {
                if place == 8 || place == 13 || place == 18 || place == 23 { place += 1 }
                let digit = UInt8(truncatingIfNeeded: word >> shift) & 15
                bytes[place] = digit < 10 ? UInt8(ascii: "0") + digit : letters + digit
                place += 1
            }
        }
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII hexadecimal digit of either case.
    var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
