import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite("Generated ids")
struct GeneratedIDsTests {
    @Test("The ids of request 1 are the published words 5 to 8 of SplitMix64 with its seed")
    func published() {
        var words = SplitMix64(state: 1_234_567)
        for _ in 0..<4 { _ = words.next() }
        let ids = GeneratedIDs(seed: 1_234_567)
        let apnsID = ids.id(.apnsID, ofRequest: 1)
        let uniqueID = ids.id(.uniqueID, ofRequest: 1)
        #expect(apnsID.high == 16_408_922_859_458_223_821)
        #expect([apnsID.high, apnsID.low, uniqueID.high, uniqueID.low] == (0..<4).map { _ in words.next() })
    }

    @Test("No two ids of a run are the same", arguments: [0, 1, UInt64.max])
    func unique(seed: UInt64) {
        let ids = GeneratedIDs(seed: seed)
        var words: Set<UInt64> = []
        for sequence in 1...10_000 {
            for kind in GeneratedIDs.Kind.allCases {
                let id = ids.id(kind, ofRequest: sequence)
                words.formUnion([id.high, id.low])
            }
        }
        #expect(words.count == 40_000)
    }

    @Test("The ids of a request do not depend on what was drawn for the requests before it")
    func sequenceAlone() {
        var first = GatewayRig()
        var second = GatewayRig { $0.environment = .production }
        first.send()
        second.send(ExamplePush(("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b")))
        second.gateway.random = SeededRandom(seed: 99)
        let ids = first.send()
        #expect(ids.apnsID == second.send().apnsID)
        #expect(ids.uniqueID != nil && ids.uniqueID?.uppercased() != ids.apnsID)
    }

    @Test("A reset gives the same ids again, another scenario without a reset does not")
    func reset() {
        var rig = GatewayRig()
        let seen = rig.send()
        rig.gateway.play(Scenario(), rig.gateway.configuration, at: rig.now)
        #expect(rig.send().apnsID != seen.apnsID)
        rig.gateway.reset(at: rig.now)
        let again = rig.send()
        #expect(again.apnsID == seen.apnsID)
        #expect(again.uniqueID == seen.uniqueID)
    }

    @Test("A record keeps every id but the one of zeros, which stands for none", arguments: [(0, 1), (1, 0), (0, 0)])
    func inARecord(high: UInt64, low: UInt64) {
        let id = MadeID(high: high, low: low)
        var record = RequestRecord()
        (record.apnsID, record.uniqueID) = (.made(id), id)
        let isKept = high + low > 0
        #expect(record.apnsID == (isKept ? .made(id) : nil))
        #expect(record.uniqueID == (isKept ? id : nil))
    }

    @Test("A push without an id gets those of its own number")
    func ofTheRequest() {
        var rig = GatewayRig()
        let ids = GeneratedIDs(seed: 1)
        for number in 1...3 {
            let seen = rig.send()
            let (apnsID, uniqueID) = (ids.id(.apnsID, ofRequest: number), ids.id(.uniqueID, ofRequest: number))
            #expect(seen.apnsID == APNSID(high: apnsID.high, low: apnsID.low, uppercase: true).text)
            #expect(seen.uniqueID == APNSID(high: uniqueID.high, low: uniqueID.low, uppercase: false).text)
        }
    }
}
