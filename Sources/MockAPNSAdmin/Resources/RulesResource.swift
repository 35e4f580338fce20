import Hummingbird
import MockAPNS
import MockAPNSCore

/// `/api/v1/rules`: the rules in force, those of the scenario and those added since, and the outages in progress, which
/// `/api/v1/outages` ends. `/api/v1/reasons`: what a rule may give as a reason.
struct RulesResource {
    let server: MockAPNSServer

    func add(to api: CallRoutes) {
        api.on(.listRules) { request, _ in
            let (page, total) = server.rules(try request.query())
            return Response.json([
                "rules": page.elements.map(Self.object), "outages": server.outages.map(Self.object), "total": total,
                "next": page.next,
            ])
        }
        api.on(.addRule) { request, _ in
            let rule = try await request.part { server.rule(from: $0) }
            return Response.json(["name": try server.add(rule)], status: .created)
        }
        api.on(.deleteRule) { _, context in
            do { try server.removeRule(context.pathPart("name")) } catch let error as ControlError {
                throw APIError.notFound("\(error) \(APICall.listRules) lists the known ones.")
            }
            return Response.json(["deleted": 1])
        }
        api.on(.endOutages) { _, _ in Response.json(["deleted": server.endOutages()]) }
        api.on(.listReasons) { _, _ in Response.json(["reasons": Reason.allCases.map(Self.object)]) }
    }

    private static func object(_ rule: RuleSummary) -> JSONObject {
        [
            "name": rule.name, "on": rule.trigger.rawValue, "steps": rule.steps, "decided": rule.decided,
            "left": rule.left, "usedUp": rule.isUsedUp, "added": rule.isAdded,
        ]
    }

    private static func object(_ reason: Reason) -> JSONObject {
        ["reason": reason.name, "status": reason.status, "meaning": reason.meaning]
    }

    private static func object(_ outage: OutageSummary) -> JSONObject {
        ["reason": outage.reason.name, "rule": outage.rule, "until": outage.until]
    }
}
