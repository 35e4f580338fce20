import Foundation
import MockAPNSCore
import TestSupport
import Testing

@testable import MockAPNSAdmin

/// The OpenAPI document has what the listener has; whether its answers are as it says is tested with a validator in Python.
@Suite struct OpenAPITests {
    @Test func everyRouteIsInTheDocumentAndNothingElse() async throws {
        try await withServer { server in
            let routes = Routes(server: server, address: AdminAddress(), streams: EventStreams())
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(Routes.document)) as? [String: Any])
            let paths = try #require(document["paths"] as? [String: [String: Any]])
            let operations = paths.flatMap { path, methods in methods.keys.map { "\($0.uppercased()) \(path)" } }
            #expect(Set(routes.operations).count == routes.operations.count)
            #expect(routes.operations.sorted() == operations.sorted())
        }
    }

    @Test func theDocumentHasTheVersionOfTheProgram() throws {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(Routes.document)) as? [String: Any])
        #expect((document["info"] as? [String: Any])?["version"] as? String == MockAPNSVersion.text)
    }

    @Test func theSchemaOfARecordHasTheMembersOfTheTable() throws {
        let schemas = try #require(try JSONText.read(Array(Routes.document))["components"]?["schemas"])
        let record = try #require(schemas["RequestRecord"]?["properties"]?.object).map(\.key)
        #expect(record == RecordMember.allCases.map(\.name))
        let authentication = try #require(schemas["Authentication"]?["properties"]?.object).map(\.key)
        #expect(authentication == AuthenticationMember.allCases.map(\.name))
    }
}
