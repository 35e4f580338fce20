import MockAPNSCore
import MockAPNSProbe
import Testing

/// The files of the folder `Data`.
@Suite struct ProbeListTests {
    private let list = ProbeList.all

    @Test func thereAreEnough() {
        #expect(list.probes.count >= 120)
        #expect(Set(list.probes.map(\.path)).count == list.probes.count)
        for group in ProbeGroup.allCases {
            #expect(list.probes.contains { $0.group == group }, "\(group)")
        }
    }

    @Test func eachExpectsSomething() {
        for probe in list.probes {
            #expect(probe.steps.contains { !$0.expected.isEmpty }, "\(probe.path)")
            #expect(!probe.sends.isEmpty, "\(probe.path)")
            #expect(probe.title.hasSuffix("."), "\(probe.path)")
        }
    }

    /// Those that no client can provoke by itself.
    private static let notProvoked: Set<Reason> = [
        .idleTimeout, .forbidden, .internalServerError, .serviceUnavailable, .shutdown, .badEnvironmentKeyIDInToken,
        .featureNotEnabled,
    ]

    @Test func everyReasonClientsCanProvokeIsExpected() {
        let expected = list.probes.flatMap(\.steps).flatMap(\.expected).map(\.text).joined()
        for reason in Reason.allCases {
            #expect(
                expected.contains("\"\(reason.name)\"") != Self.notProvoked.contains(reason), "\(reason.name)")
        }
    }

    @Test func idsAreUniqueAndOnlyGuessesLackSources() {
        let facts = list.table.sections.flatMap(\.facts)
        #expect(Set(facts.map(\.id)).count == facts.count)
        for fact in facts where fact.source.isEmpty { #expect(fact.mark == .guessed, "\(fact.id)") }
    }

    @Test func callsThatManageChannelsGoToTheirAddress() throws {
        let managing = try #require(list.named("broadcast/create")?.first)
        let publishing = try #require(list.named("broadcast/publish")?.first)
        #expect(managing.endpoint == .management && publishing.endpoint == .provider)
        #expect(managing.sends == "POST /1/apps/{topic}/channels")
        #expect(publishing.channels == [.stored])
        #expect(list.named("broadcast/delete-deleted")?.first?.channels == [.deleted])
    }

    @Test func sourcesAreAddresses() throws {
        let probe = try #require(list.probes.first { $0.path == "headers/priority-5" })
        #expect(probe.source.hasPrefix("https://developer.apple.com/documentation/usernotifications/sending-"))
        #expect(!list.probes.contains { $0.source.contains("[responses]") || $0.source.contains("[sending]") })
    }

    @Test func wordsNameGroupsAndProbes() {
        #expect(list.named("headers")?.count ?? 0 > 20)
        #expect(list.named("headers/priority-5")?.map(\.name) == ["priority-5"])
        #expect(list.named("header") == nil)
        #expect(list.words.contains("checks") && list.words.contains("checks/accepted"))
    }

    @Test(arguments: [
        (#"{"group": "checks", "probes": [{"name": "a", "title": "A.", "fact": "nothing", "steps": []}]}"#, 68),
        (#"{"group": "tests", "probes": []}"#, 10),
        (#"{"group": "checks", "probe": []}"#, 20),
        (
            #"{"group": "checks", "probes": [{"name": "a", "title": "A.", "fact": "reasons", "steps": [{"wait": true, "request": {}}]}]}"#,
            90
        ),
    ])
    func aMistakeIsTold(text: String, offset: Int) {
        var reader = ProbeReader(list.table)
        do throws(JSONText.Mistake) {
            _ = try reader.read(Array(text.utf8))
            Issue.record("read")
        } catch {
            #expect(error.offset == offset, "\(error)")
        }
    }
}
