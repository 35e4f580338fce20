import MockAPNSCore
import Testing

@testable import MockAPNSJudge

@Suite("The known key that an unknown one probably means")
struct PayloadKeyTests {
    @Test(
        "A long key may have two mistakes, a short one only one",
        arguments: [
            ("volmue", .volume), ("volyms", .volume), ("volumens", .volume), ("volymss", nil), ("volum", .volume),
            ("volu", nil), ("nane", .name), ("nano", nil), ("volume", nil),
        ] as [(String, SoundKey?)])
    func mistakes(name: String, meant: SoundKey?) { #expect(SoundKey.nearMiss(of: name) == meant) }

    @Test("No key is meant by more than 40 bytes", arguments: [(40, .volume), (41, nil)] as [(Int, SoundKey?)])
    func longNames(length: Int, meant: SoundKey?) {
        let name = "volume" + String(repeating: "-", count: length - 6)
        #expect(SoundKey.nearMiss(of: name) == meant)
    }

    @Test("Of two keys that are equally near, the first is meant")
    func equallyNear() {
        // Two letters away from `loc-args` as well.
        #expect(AlertKey.nearMiss(of: "loc-kegs") == .locKey)
    }

    @Test(
        "The keys of a subtitle are new in iOS 10",
        arguments: [
            (.subtitle, SystemVersion(10)), (.subtitleLocKey, SystemVersion(10)), (.subtitleLocArgs, SystemVersion(10)),
            (.title, nil), (.titleLocArgs, nil), (.locArgs, nil), (.sound, SystemVersion(16, 1)),
        ] as [(AlertKey, SystemVersion?)])
    func versions(key: AlertKey, since: SystemVersion?) { #expect(key.facts.since == since) }
}
