import Foundation
import MockAPNSCore
import NIOHTTP1
import TestSupport
import Testing

@testable import MockAPNSAdmin

extension FleetScope {
    /// The statuses of answers that only members of a fleet give: 409 if another member has to be asked, 503 if not all
    /// replicas have carried it out.
    var statuses: [Int] {
        switch self {
        case .member: []
        case .collector, .replica, .providers, .log, .sessions: [409]
        case .question: [503]
        case .everyReplica, .everyMember, .connection: [409, 503]
        }
    }
}

/// The routes and the OpenAPI document have the calls of the table; whether answers are as the document says is tested with
/// a validator in Python.
@Suite struct OpenAPITests {
    @Test func everyCallHasItsRoute() async throws {
        try await withServer { server in
            let routes = Routes(server: server, address: AdminAddress(), streams: EventStreams(), hasPage: false)
            let paths = routes.router.routes.filter { !$0.path.description.hasSuffix("**") }.map {
                "\($0.method.rawValue) \($0.path.description)"
            }
            #expect(paths.sorted() == APICall.allCases.map(\.description).sorted())
        }
    }

    @Test func theDocumentListsEveryCallAndNothingElse() throws {
        let operations = try Self.operations()
        #expect(operations.map(\.call).sorted() == APICall.allCases.map(\.description).sorted())
    }

    @Test(arguments: APICall.allCases)
    func documentAndTableAgreeOnEachCall(_ call: APICall) throws {
        let operation = try #require(try Self.operations().first { $0.call == call.description }).operation
        #expect(operation["operationId"]?.string == call.rawValue)
        let document = try JSONText.read(Array(PageFiles.openAPI))
        let parameters = (operation["parameters"]?.array ?? []).map { parameter in
            let name = parameter["$ref"]?.string?.split(separator: "/").last.map(String.init)
            return name.flatMap { document["components"]?["parameters"]?[$0] } ?? parameter
        }
        func names(in place: String) -> [String] {
            parameters.filter { $0["in"]?.string == place }.compactMap { $0["name"]?.string }
        }
        #expect(names(in: "query").sorted() == call.parameters.sorted())
        #expect(names(in: "path") == call.variables.map(String.init))
        let answers = try #require(operation["responses"])
        for (status, fleet) in [(409, "OtherMember"), (503, "NotAllReplicas")] {
            let isOfFleet = answers["\(status)"]?["$ref"]?.string == "#/components/responses/\(fleet)"
            if call.scope.statuses.contains(status) {
                #expect(answers["\(status)"] != nil, "\(status)")
            } else {
                #expect(!isOfFleet, "\(status)")
            }
        }
    }

    /// The operations of the document, each with its method and path.
    private static func operations() throws -> [(call: String, operation: JSONText.Value)] {
        let paths = try #require(try JSONText.read(Array(PageFiles.openAPI))["paths"]?.object)
        return paths.flatMap { path in
            (path.value.object ?? []).map { (call: "\($0.key.uppercased()) \(path.key)", operation: $0.value) }
        }
    }

    @Test func theDocumentHasTheVersionOfTheProgram() throws {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(PageFiles.openAPI)) as? [String: Any])
        #expect((document["info"] as? [String: Any])?["version"] as? String == MockAPNSVersion.text)
    }

    @Test func theRecordSchemaHasTheTablesMembers() throws {
        let schemas = try #require(try JSONText.read(Array(PageFiles.openAPI))["components"]?["schemas"])
        let record = try #require(schemas["RequestRecord"]?["properties"]?.object).map(\.key)
        #expect(record == RecordMember.allCases.map(\.name))
        let authentication = try #require(schemas["Authentication"]?["properties"]?.object).map(\.key)
        #expect(authentication == AuthenticationMember.allCases.map(\.name))
    }
}
