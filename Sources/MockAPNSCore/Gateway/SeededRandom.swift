/// Random numbers that a seed repeats: the same seed gives the same numbers on every platform and in every version.
///
/// The generator is xoshiro256** 1.0 by Blackman and Vigna, its state filled from the seed by SplitMix64, as its
/// authors advise (<https://prng.di.unimi.it>). It is quick and even, and not for secrets.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var a: UInt64
    private var b: UInt64
    private var c: UInt64
    private var d: UInt64

    /// Every seed is good, 0 too.
    package init(seed: UInt64) {
        var filler = SplitMix64(state: seed)
        self.init(state: (filler.next(), filler.next(), filler.next(), filler.next()))
    }

    /// From the generator's own four words, not all of them 0; for the published test vectors.
    init(state: (UInt64, UInt64, UInt64, UInt64)) { (a, b, c, d) = state }

    /// The next 64 random bits.
    package mutating func next() -> UInt64 {
        let result = Self.rotate(b &* 5, left: 7) &* 9
        let shifted = b << 17
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = Self.rotate(d, left: 45)
        return result
    }

    /// A number from 0 up to, and not including, 1: one of the 2^53 that are evenly spaced.
    package mutating func unitInterval() -> Double { Double(next() >> 11) * 0x1p-53 }

    private static func rotate(_ word: UInt64, left count: UInt64) -> UInt64 {
        word << count | word >> (64 - count)
    }
}

/// SplitMix64, which makes many words out of one seed.
struct SplitMix64 {
    var state: UInt64
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    init(state: UInt64) { self.state = state }

    /// The words of a seed after its first `count` ones. No two of the 2^64 words are the same.
    init(seed: UInt64, skipping count: UInt64) { state = seed &+ count &* Self.step }

    mutating func next() -> UInt64 {
        state &+= Self.step
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
