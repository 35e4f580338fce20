import MockAPNS
import MockAPNSCore
import NIOCore

/// `/api/v1/scenarios`: the scenarios that are built in, to be read and played.
struct ScenariosResource {
    func add(to api: inout CallRoutes) {
        api.on(.listScenarios) { _ in
            let bundled = BundledScenarios.all
            let scenarios = bundled.names.map { name -> JSONObject in
                ["name": name, "description": bundled.description(of: name)]
            }
            return Response.json(["scenarios": scenarios])
        }
        api.on(.getBuiltInScenario) { request in
            let name = try request.pathPart("name")
            guard let text = BundledScenarios.all[name] else {
                let meant = nearestWord(to: name, among: BundledScenarios.all.names).map { " Did you mean \"\($0)\"?" }
                throw APIError.notFound(
                    "No built-in scenario has the name \"\(name.prefix(80))\".\(meant ?? "") \(APICall.listScenarios) and mock-apns scenario list them."
                )
            }
            return Response.json(ByteBuffer(bytes: text))
        }
    }
}
