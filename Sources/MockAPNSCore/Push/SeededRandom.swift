/// A random number generator with a seed: the same seed gives the same numbers on every platform and in every version.
///
/// The generator is xoshiro256** 1.0 by Blackman and Vigna, with its state filled from the seed by SplitMix64, as its
/// authors recommend (<https://prng.di.unimi.it>). It is fast and uniform, but not suitable for secrets.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var a: UInt64
    private var b: UInt64
    private var c: UInt64
    private var d: UInt64

    /// Creates a generator. Every seed is valid, including 0.
    package init(seed: UInt64) {
        var filler = SplitMix64(state: seed)
        self.init(state: (filler.next(), filler.next(), filler.next(), filler.next()))
    }

    /// Creates a generator from its four state words, not all 0; for the published test vectors.
    init(state: (UInt64, UInt64, UInt64, UInt64)) { (a, b, c, d) = state }

    /// Returns the next 64 random bits.
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

    /// Returns a number in [0, 1): one of 2^53 evenly spaced values.
    package mutating func unitInterval() -> Double { Double(next() >> 11) * 0x1p-53 }

    private static func rotate(_ word: UInt64, left count: UInt64) -> UInt64 {
        word << count | word >> (64 - count)
    }
}

/// SplitMix64, which expands one seed into many words.
struct SplitMix64 {
    var state: UInt64
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    init(state: UInt64) { self.state = state }

    /// Creates the sequence of a seed after its first `count` words. All 2^64 words are distinct.
    init(seed: UInt64, skipping count: UInt64) { state = seed &+ count &* Self.step }

    mutating func next() -> UInt64 {
        state &+= Self.step
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
