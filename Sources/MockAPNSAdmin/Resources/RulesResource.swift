import MockAPNS
import MockAPNSCore
import NIOHTTP1

/// `/api/v1/rules`: the rules in force, those of the scenario and those added since, and the outages in progress, which
/// `/api/v1/outages` ends. `/api/v1/reasons`: what a rule may give as a reason.
struct RulesResource {
    let server: MockAPNSServer

    func add(to api: inout CallRoutes) {
        api.on(.listRules) { request in
            let (page, total) = server.rules(try request.pagedQuery())
            return Response.json([
                "rules": page.elements.map(Self.object), "outages": server.outages.map(Self.object), "total": total,
                "next": page.next,
            ])
        }
        api.on(.addRule) { request in
            let rule = try request.part { server.rule(from: $0) }
            return Response.json(["name": try server.add(rule)], status: .created)
        }
        api.on(.deleteRule) { request in
            do { try server.removeRule(request.pathPart("name")) } catch let error as ControlError {
                throw APIError.notFound("\(error) \(APICall.listRules) lists the known ones.")
            }
            return Response.json(["deleted": 1])
        }
        api.on(.endOutages) { _ in Response.json(["deleted": server.endOutages()]) }
        api.on(.listReasons) { _ in Response.json(["reasons": Reason.allCases.map(Self.object)]) }
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
