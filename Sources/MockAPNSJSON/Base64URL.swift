/// Base64 as APNs accepts it in provider tokens: either alphabet, with or without padding (RFC 4648, sections 4 and 5).
///
/// Otherwise it is strict: one alphabet per text, a whole number of bytes, and either no padding or all of it. Unused
/// bits of the last character are ignored.
package enum Base64URL {
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var count = text.count
        if count % 4 == 0 {
            for _ in 0..<2 where count > 0 && text[count - 1] == UInt8(ascii: "=") { count -= 1 }
        }
        guard count % 4 != 1 else { return nil }
        var bytes = [UInt8]()
        bytes.reserveCapacity(count / 4 * 3 + 2)
        var alphabet: Alphabet?
        var bits: UInt32 = 0
        for index in 0..<count {
            let byte = text[index]
            var own: Alphabet?
            let value: UInt8
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0") + 52
            case UInt8(ascii: "-"): (value, own) = (62, .url)
            case UInt8(ascii: "_"): (value, own) = (63, .url)
            case UInt8(ascii: "+"): (value, own) = (62, .standard)
            case UInt8(ascii: "/"): (value, own) = (63, .standard)
            default: return nil
            }
            if let own {
                guard alphabet == nil || alphabet == own else { return nil }
                alphabet = own
            }
            bits = bits << 6 | UInt32(value)
            switch index % 4 {
            case 1: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
            case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
            case 3: bytes.append(UInt8(truncatingIfNeeded: bits))
            default: break
            }
        }
        return bytes
    }

    private enum Alphabet { case standard, url }
}
