package import Foundation
package import Logging
package import MockAPNS
import MockAPNSAdmin

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

package let quiet = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }

package func withAdmin(
    _ configure: (inout Configuration) -> Void = { _ in }, _ body: (MockAPNSServer, AdminClient) async throws -> Void
) async throws {
    try await withServer(configure) { server in
        let admin = try await AdminServer.start(for: server, logger: quiet)
        do {
            try await body(server, AdminClient(url: admin.url))
            await admin.stop()
        } catch {
            await admin.stop()
            throw error
        }
    }
}

/// Asks the admin listener over HTTP.
package struct AdminClient {
    package struct Answer {
        package var status: Int
        package var body: Data
        package var fields: [AnyHashable: Any]

        package init(status: Int, body: Data, fields: [AnyHashable: Any]) {
            (self.status, self.body, self.fields) = (status, body, fields)
        }

        package var text: String { String(decoding: body, as: UTF8.self) }
        package var object: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }
        /// A list of objects in the answer.
        package func list(_ name: String) -> [[String: Any]] { object[name] as? [[String: Any]] ?? [] }
        package var requests: [[String: Any]] { object["requests"] as? [[String: Any]] ?? [] }
        package var error: [String: Any] { object["error"] as? [String: Any] ?? [:] }
        package var errorMessage: String { error["message"] as? String ?? "" }
    }

    package let url: String

    package init(url: String) { self.url = url }

    package func get(_ path: String) async throws -> Answer { try await send("GET", path) }

    package func send(_ method: String, _ path: String, body: String? = nil) async throws -> Answer {
        var request = URLRequest(url: URL(string: url + path)!)
        request.httpMethod = method
        // A busy machine takes its time.
        request.timeoutInterval = 600
        request.httpBody = body.map { Data($0.utf8) }
        let (content, response) = try await URLSession.shared.data(for: request)
        let http = response as! HTTPURLResponse
        return Answer(status: http.statusCode, body: content, fields: http.allHeaderFields)
    }
}
