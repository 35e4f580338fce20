/// A hash of 64 bits over bytes and numbers, by which pushes are recognized again without being kept.
///
/// It is not secret: a provider whose pushes collide only gets wrong findings for these.
package struct PushHash {
    package private(set) var value: UInt64

    /// - Parameter seed: chooses one of several independent hashes.
    package init(seed: UInt64 = 0) { value = 0x243f_6a88_85a3_08d3 ^ seed &* 0x9e37_79b9_7f4a_7c15 }

    /// Adds a number.
    @inline(__always)
    package mutating func mix(_ word: UInt64) {
        let product = (value ^ word).multipliedFullWidth(by: 0x9fb2_1c65_1e98_df25)
        value = product.high ^ product.low
    }

    /// Adds bytes and their number.
    ///
    /// - Parameter case: bits set in every byte; 0x20 makes letters lowercase and leaves digits as they are.
    @inline(__always)
    package mutating func mix(_ bytes: Span<UInt8>, settingBits bits: UInt8 = 0) {
        let mask = UInt64(bits) &* 0x0101_0101_0101_0101
        mix(UInt64(truncatingIfNeeded: bytes.count))
        var index = 0
        while index + 8 <= bytes.count {
            mix(bytes.longWord(at: index) | mask)
            index += 8
        }
        guard index < bytes.count else { return }
        var rest: UInt64 = 0
        while index < bytes.count {
            rest = rest << 8 | UInt64(bytes[index] | bits)
            index += 1
        }
        mix(rest)
    }

    /// Returns the hash of some bytes.
    package static func of(_ bytes: Span<UInt8>, settingBits bits: UInt8 = 0) -> UInt64 {
        var hash = Self()
        hash.mix(bytes, settingBits: bits)
        return hash.value
    }

    /// Returns the hash of two numbers, such as two other hashes.
    @inline(__always)
    package static func of(_ one: UInt64, _ other: UInt64) -> UInt64 {
        var hash = Self()
        hash.mix(one)
        hash.mix(other)
        return hash.value
    }
}
