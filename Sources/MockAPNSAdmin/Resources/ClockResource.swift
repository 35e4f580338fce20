import MockAPNS
import MockAPNSCore
import MockAPNSScenario

/// `/api/v1/clock`: the device time.
struct ClockResource {
    let server: MockAPNSServer

    func add(to api: inout CallRoutes) {
        api.on(.getClock) { _ in Response.json(Self.object(server.clock)) }
        api.on(.advanceClock) { request in
            let duration = try request.part { Scenario().advance(from: $0) }
            return Response.json(Self.object(try await server.advance(milliseconds: duration)))
        }
    }

    private static func object(_ clock: MockAPNSServer.ClockState) -> JSONObject {
        ["kind": clock.isManual ? "manual" : "real", "now": clock.now, "next": clock.next.map(object)]
    }

    private static func object(_ next: ScheduledEvent) -> JSONObject {
        switch next.kind {
        case .expiry(let device, let sequence):
            ["at": next.time, "what": "expiry", "token": device.text, "sequence": sequence]
        case .registration(let device): ["at": next.time, "what": "registration", "token": device.text]
        case .endOfActivity(let device): ["at": next.time, "what": "endOfActivity", "token": device.text]
        case .timeline(let entry): ["at": next.time, "what": "timeline", "entry": entry]
        case .outage(let reason, let rule):
            ["at": next.time, "what": "outageEnd", "reason": reason.name, "rule": rule]
        }
    }
}
