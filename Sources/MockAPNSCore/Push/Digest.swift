/// A digest of a text: replicas find out by it whether they play the same scenario with the same keys, and seeds are
/// made of it. It does not protect from forgery.
package enum Digest {
    /// Returns a number that differs for different texts.
    package static func number(of text: [UInt8]) -> UInt64 { text.span.checksum }

    /// Returns the number as 16 hexadecimal digits.
    package static func text(of text: [UInt8]) -> String {
        let digits = String(number(of: text), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension Span<UInt8> {
    /// A checksum: a change of any one byte changes it. It does not protect from forgery.
    var checksum: UInt64 {
        // Four independent sums, so that the processor need not wait for each multiplication.
        var sums = (UInt64(count), UInt64(1), UInt64(2), UInt64(3))
        let prime: UInt64 = 0x9e37_79b9_7f4a_7c15
        var index = 0
        while index + 32 <= count {
            sums.0 = (sums.0 ^ longWord(at: index)) &* prime
            sums.1 = (sums.1 ^ longWord(at: index + 8)) &* prime
            sums.2 = (sums.2 ^ longWord(at: index + 16)) &* prime
            sums.3 = (sums.3 ^ longWord(at: index + 24)) &* prime
            sums.0 ^= sums.0 >> 29
            sums.1 ^= sums.1 >> 29
            sums.2 ^= sums.2 >> 29
            sums.3 ^= sums.3 >> 29
            index += 32
        }
        while index < count {
            sums.0 = (sums.0 ^ UInt64(self[index])) &* prime
            sums.0 ^= sums.0 >> 29
            index += 1
        }
        return sums.0 &+ sums.1 &* 3 &+ sums.2 &* 5 &+ sums.3 &* 7
    }
}
