import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite struct ProviderTokenUpdateRateTests {
    private static func bearer(_ number: Int, team: String = "DEF123GHIJ", key: String = "ABC123DEFG") -> ExamplePush {
        ExamplePush { $0.token = ExamplePush.bearer(keyID: key, teamID: team, issuedAt: "\(1_795_255_000 + number)") }
    }

    @Test("Two new tokens in 20 minutes on a connection; the third is too many until the window has passed")
    func updateRate() {
        var rig = GatewayRig()
        let minute: Int64 = 60_000
        #expect(rig.send(Self.bearer(0)).status == 200)
        rig.now.milliseconds += 5 * minute
        #expect(rig.send(Self.bearer(1)).status == 200)
        #expect(rig.send(Self.bearer(0)).status == 200, "a token that is known is not new")
        let third = rig.send(Self.bearer(2))
        #expect(third.status == 429)
        #expect(third.reason == "TooManyProviderTokenUpdates")
        for part in ["1795255002", "ABC123DEFG", "connection 1", "20 min", "2026-11-21T10:20:00.000Z", "2"] {
            #expect(third.explanation.contains(part), "\(third.explanation)")
        }
        #expect(rig.send(Self.bearer(2)).status == 429)
        #expect(rig.send(Self.bearer(3)).status == 429)
        #expect(rig.send(Self.bearer(1)).status == 200)
        rig.now.milliseconds = GatewayRig.now.milliseconds + 20 * minute - 1
        #expect(rig.send(Self.bearer(2)).status == 429)
        rig.now.milliseconds += 1
        #expect(rig.send(Self.bearer(2)).status == 200)
        #expect(rig.send(Self.bearer(3)).status == 429)
        #expect(rig.send(Self.bearer(0)).status == 200, "the first is still not new")
        let other = rig.gateway.openConnection(.example, at: rig.now)
        #expect(rig.send(Self.bearer(3), on: other).status == 200, "another connection counts for itself")
    }

    @Test("A token that was only signed again says so, and what to do")
    func signedAgain() {
        func push(_ number: Int, _ signature: String) -> ExamplePush {
            var push = Self.bearer(number)
            push.token = push.token.map { token in
                token.split(separator: ".").dropLast().joined(separator: ".") + "."
                    + String(repeating: signature, count: 86)
            }
            return push
        }
        var rig = GatewayRig()
        for (number, signature, again) in [(0, "A", false), (1, "A", false), (2, "A", false), (0, "Q", true)] {
            let seen = rig.send(push(number, signature))
            let said = seen.explanation.contains("Only its signature differs from that of a token sent before; keep")
            #expect(said == again, "\(seen.explanation)")
        }
    }

    @Test("The rate is judged before the signature (forums/thread/770438)")
    func rateBeforeSignature() {
        var rig = GatewayRig()
        let reasons = (0..<4).map { number in
            rig.send(
                ExamplePush {
                    $0.token = ExamplePush.bearer(keyID: "WRONGKEY0\(number)")
                    $0.proof = .notVerified
                }
            ).reason
        }
        #expect(
            reasons == [
                "InvalidProviderToken", "InvalidProviderToken", "TooManyProviderTokenUpdates",
                "TooManyProviderTokenUpdates",
            ])
    }

    @Test("The rate by team counts over connections, and each team for itself")
    func rateByTeam() {
        var rig = GatewayRig {
            $0.authentication.teams.append(.init(teamID: "OTHERTEAM1", keys: [.init(keyID: "OTHERKEY12")]))
            $0.authentication.providerTokenUpdates = .init(allowed: 2, per: 1000, scope: .team)
        }
        let connections = (0..<4).map { _ in rig.gateway.openConnection(.example, at: rig.now) }
        #expect(rig.send(Self.bearer(0), on: connections[0]).status == 200)
        #expect(rig.send(Self.bearer(0), on: connections[1]).status == 200)
        #expect(rig.send(Self.bearer(1), on: connections[1]).status == 200)
        let seen = rig.send(Self.bearer(2), on: connections[2])
        #expect(seen.reason == "TooManyProviderTokenUpdates")
        #expect(seen.explanation.contains(#"team "DEF123GHIJ""#))
        #expect(rig.send(Self.bearer(0, team: "OTHERTEAM1", key: "OTHERKEY12"), on: connections[3]).status == 200)
        rig.now.milliseconds += 1000
        #expect(rig.send(Self.bearer(2), on: connections[2]).status == 200)
    }

    @Test("A thousand teams are told apart; all others are counted as one, and none begins anew")
    func manyTeams() {
        var rig = GatewayRig { $0.authentication.providerTokenUpdates = .init(allowed: 1, per: 1000, scope: .team) }
        func isTooEarly(_ team: Int, _ number: Int) -> Bool {
            rig.send(Self.bearer(number, team: "TEAM\(100_000 + team)")).reason == "TooManyProviderTokenUpdates"
        }
        for team in 1...1000 { #expect(!isTooEarly(team, 0)) }
        #expect(isTooEarly(1, 1) && isTooEarly(1000, 1))
        #expect(!isTooEarly(1001, 0) && isTooEarly(1001, 1) && isTooEarly(1002, 0))
        #expect(isTooEarly(1, 1) && isTooEarly(1000, 2))
    }

    @Test("The rate by listener counts all teams together")
    func rateByListener() {
        var rig = GatewayRig {
            $0.authentication.teams.append(.init(teamID: "OTHERTEAM1", keys: [.init(keyID: "OTHERKEY12")]))
            $0.authentication.providerTokenUpdates = .init(allowed: 1, per: 1000, scope: .listener)
        }
        #expect(rig.send(Self.bearer(0)).status == 200)
        let other = rig.gateway.openConnection(.example, at: rig.now)
        #expect(rig.send(Self.bearer(0), on: other).status == 200)
        let third = rig.gateway.openConnection(.example, at: rig.now)
        let push = Self.bearer(0, team: "OTHERTEAM1", key: "OTHERKEY12")
        #expect(rig.send(push, on: third).reason == "TooManyProviderTokenUpdates")
        rig.now.milliseconds += 1000
        #expect(rig.send(push, on: third).status == 200)
    }

    @Test("The rate can be switched off")
    func noRate() {
        var rig = GatewayRig { $0.authentication.providerTokenUpdates = nil }
        for number in 0..<200 { #expect(rig.send(Self.bearer(number)).status == 200) }
        #expect(rig.gateway.connections[1]?.providerTokens == 200)
    }
}
