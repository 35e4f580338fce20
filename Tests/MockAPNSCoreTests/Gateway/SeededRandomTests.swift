import Testing

@testable import MockAPNSCore

@Suite("Random numbers from a seed")
struct SeededRandomTests {
    @Test("xoshiro256** gives the published numbers of the state 1, 2, 3, 4")
    func published() {
        var random = SeededRandom(state: (1, 2, 3, 4))
        let expected: [UInt64] = [
            11520, 0, 1_509_978_240, 1_215_971_899_390_074_240, 1_216_172_134_540_287_360,
            607_988_272_756_665_600, 16_172_922_978_634_559_625, 8_476_171_486_693_032_832,
            10_595_114_339_597_558_777, 2_904_607_092_377_533_576,
        ]
        #expect(expected.map { _ in random.next() } == expected)
    }

    @Test("SplitMix64 gives the published numbers of the seed 1234567")
    func filler() {
        var filler = SplitMix64(state: 1_234_567)
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        #expect(expected.map { _ in filler.next() } == expected)
    }

    @Test("One seed repeats itself, two differ", arguments: [0, 1, 42, UInt64.max])
    func repeats(seed: UInt64) {
        var one = SeededRandom(seed: seed)
        var same = SeededRandom(seed: seed)
        var other = SeededRandom(seed: seed &+ 1)
        let numbers = (0..<100).map { _ in one.next() }
        #expect(numbers == (0..<100).map { _ in same.next() })
        #expect(numbers != (0..<100).map { _ in other.next() })
        #expect(Set(numbers).count == 100)
    }

    @Test("The unit interval is filled evenly and never reaches 1")
    func unitInterval() {
        var random = SeededRandom(seed: 7)
        var tenths = [Int](repeating: 0, count: 10)
        for _ in 0..<100_000 {
            let number = random.unitInterval()
            #expect(number >= 0 && number < 1)
            tenths[Int(number * 10)] += 1
        }
        for count in tenths { #expect(abs(count - 10_000) < 400) }
    }
}
