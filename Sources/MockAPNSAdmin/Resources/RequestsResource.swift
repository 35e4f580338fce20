import MockAPNS
import MockAPNSCore
import MockAPNSJudge
import MockAPNSScenario
import NIOCore
import NIOHTTP1

/// `/api/v1/requests`: what providers sent, and why each request got its answer.
struct RequestsResource {
    let server: MockAPNSServer

    /// Maximum number of regular expressions in one query: each may be tried on every record.
    static let patternLimit = 20
    /// Maximum size of the body of a wait in bytes, since thousands may wait at once.
    private static let waitLimit = 64 << 10

    func add(to api: inout CallRoutes) {
        // The query says what is wrong with it, in the order of its parameters.
        api.on(.listRequests, checksParameters: false) { request in
            try await find(RequestQuery(parameters: request.parameters, at: WallClock.now()), request)
        }
        api.on(.getRequest) { request in
            let id = try request.pathPart("id")
            let isRow = try request.asksForRows
            return try await request.whileConnected { try await record(id, asRow: isRow) }
        }
        api.on(.getScreen) { request in
            let id = try request.pathPart("id")
            return try await request.whileConnected { try await screen(id) }
        }
        api.on(.getChecks) { request in
            let id = try request.pathPart("id")
            return try await request.whileConnected { try await checks(id) }
        }
        api.on(.getDifferences) { request in
            let id = try request.pathPart("id")
            guard let from = try request.parameter("from") else {
                throw APIError.badRequest(
                    "badParameter",
                    "from is missing; expected the request to compare with, as in \(request.path)?from=312.",
                    pointer: "/from")
            }
            return try await request.whileConnected { try await differences(from: from, to: id) }
        }
        api.on(.deleteRequests, checksParameters: false) { request in try await delete(request) }
        api.on(.findRequests) { request in
            let scenario = server.namesInScope
            let isRows = try request.asksForRows
            let query = try request.part { scenario.requestQuery(from: $0, at: WallClock.now()) }
            try Self.check(query.match.patternCount)
            return try await find(query, request, asRows: isRows)
        }
        api.on(.countRequests) { request in
            let scenario = server.namesInScope
            let query = try request.part { scenario.countedRequests(from: $0, at: WallClock.now()) }
            try Self.check(query.match.patternCount)
            return try await request.whileConnected { .json(try await count(query)) }
        }
        api.on(.countDeliveries) { request in
            try await request.whileConnected {
                let table = try await inSlices(server.requestLog.countingDeliveries)
                return .text(table.csv, type: "text/csv; charset=utf-8; header=present")
            }
        }
        api.on(.deleteFoundRequests) { request in
            let scenario = server.namesInScope
            let query = try request.part { scenario.deletedRequests(from: $0, at: WallClock.now()) }
            try Self.check(query.match.patternCount)
            return try await request.whileConnected { try await delete(query) }
        }
        api.on(.waitForRequests, bodyLimit: Self.waitLimit) { request in try await wait(request) }
    }

    /// Refuses a query with too many regular expressions.
    static func check(_ patternCount: Int) throws(APIError) {
        guard patternCount > patternLimit else { return }
        throw .badRequest(
            "badValue",
            "The body has \(patternCount) regular expressions; expected at most \(patternLimit), since each is tried on every record.",
            pointer: "")
    }

    /// Answers when the requests have arrived or the time is up. Ends early if the client disconnects.
    private func wait(_ request: Request) async throws -> Response {
        let scenario = server.namesInScope
        let awaited = try request.part {
            scenario.awaitedRequests(from: $0, atMost: server.configuration.logLimit)
        }
        try Self.check(awaited.match.patternCount)
        return try await request.whileConnected {
            do {
                if awaited.count == 0 { return try await waitForNone(awaited) }
                let (log, found, isFulfilled) = try await server.wait(
                    for: awaited.match, count: awaited.count, after: awaited.after ?? 0,
                    within: .milliseconds(awaited.timeout))
                let page = RequestPage(of: found, in: log)
                if isFulfilled { return .page(page) }
                guard server.isReady else { throw APIError.stopped }
                let misses = try await inSlices(log.searchNearMisses(awaited.match, after: awaited.after ?? 0))
                return .page(page, nearMisses: misses, status: .requestTimeout)
            } catch let error as WaitRefusal {
                throw APIError(status: .serviceUnavailable, code: "tooManyWaits", message: error.description)
            }
        }
    }

    /// Answers when no request has come for the time, or one has.
    private func waitForNone(_ awaited: AwaitedRequests) async throws -> Response {
        switch try await server.waitForNone(
            of: awaited.match, after: awaited.after, for: .milliseconds(awaited.quietTime))
        {
        case .quiet(let found, let log): return .page(RequestPage(of: found, in: log))
        case .came(let found, let log): return .page(RequestPage(of: found, in: log), status: .conflict)
        case .reset:
            throw APIError(
                status: .conflict, code: "reset",
                message:
                    "The server was reset meanwhile, so it is not known whether a request came; wait after the reset.")
        case .stopped: throw APIError.stopped
        }
    }

    private func find(_ query: RequestQuery, _ request: Request, asRows: Bool = false) async throws -> Response {
        try await request.whileConnected {
            let linted = try await linted(query.lint, query.match.search)
            let log = server.requestLog
            let found = try await inSlices(log.search(for: query, among: linted))
            return .page(RequestPage(of: found, in: log, asRowsIn: asRows ? server.scenario.apps : nil))
        }
    }

    private func count(_ query: RequestCountQuery) async throws -> JSONObject {
        let linted = try await linted(query.lint, query.match.search)
        let found = try await inSlices(server.requestLog.counting(query, among: linted))
        var answer: JSONObject = ["count": found.count, "dropped": found.dropped]
        if found.undecided > 0 { answer = answer.adding("undecided", found.undecided) }
        guard !found.fields.isEmpty else { return answer }
        let counts = found.fields.map { field in
            (field.rawValue, JSONObject(found.values(of: field).map { ($0.value, $0.count) }))
        }
        return answer.adding("by", JSONObject(counts))
    }

    /// Returns the numbers of the pushes with such findings; `nil` for a request without conditions on findings.
    private func linted(_ query: LintQuery?, _ search: RequestSearch?) async throws -> Set<Int>? {
        guard query != nil || search?.lint != nil else { return nil }
        var query = query ?? LintQuery()
        switch search?.lint {
        case .anyWarning: query.severity = query.severity ?? .warning
        case .rule(let name): query.rule = try Self.rule(name)
        case nil: break
        }
        return try await server.lintedSequences(query)
    }

    private static func rule(_ name: String) throws(APIError) -> LintRule {
        if let rule = LintRule.named(name), rule.isAboutPushes { return rule }
        let near = nearestWord(to: name, among: LintRule.all.filter(\.isAboutPushes).map(\.id))
        let hint = near.map { "; did you mean \"\($0)\"?" } ?? ", such as badge-type."
        throw .badRequest(
            "badParameter",
            "q has \"lint:\(name.prefix(80))\"; expected a rule that is about single pushes\(hint)", pointer: "/q")
    }

    private func record(_ id: String, asRow: Bool) async throws -> Response {
        let (log, sequence) = try await find(id)
        if asRow {
            var row: [UInt8] = []
            let apps = server.scenario.apps
            guard log.appendRow(of: sequence, in: apps, isWhole: true, to: &row) else { throw missing(id) }
            return .json(ByteBuffer(bytes: row))
        }
        guard let record = log.record(sequence) else { throw missing(id) }
        return .json(ByteBuffer(bytes: record))
    }

    private func screen(_ id: String) async throws -> Response {
        let (log, sequence) = try await find(id)
        guard let screen = server.screen(of: sequence, in: log) else { throw missing(id) }
        var json: [UInt8] = []
        screen.appendJSON(to: &json)
        return .json(ByteBuffer(bytes: json))
    }

    private func checks(_ id: String) async throws -> Response {
        let (log, sequence) = try await find(id)
        guard let checks = log.checks(of: sequence) else { throw missing(id) }
        return .json(ByteBuffer(bytes: checks.json))
    }

    private func differences(from old: String, to new: String) async throws -> Response {
        let (from, to) = (try await found(old), try await found(new))
        let differences = RequestDifferences(from: from.record, to: to.record)
        var json = Array(#"{"from":\#(from.sequence),"to":\#(to.sequence),"differences":"#.utf8)
        json += differences.json
        json.append(UInt8(ascii: "}"))
        return .json(ByteBuffer(bytes: json))
    }

    private func found(_ id: String) async throws -> (sequence: Int, record: JSONText.Value) {
        let (log, sequence) = try await find(id)
        guard let record = log.record(sequence), let value = try? JSONText.read(record, .recorded) else {
            throw missing(id)
        }
        return (sequence, value)
    }

    /// Returns the record with a sequence number or an `apns-id`, and the log that has it.
    private func find(_ id: String) async throws -> (log: RequestSnapshot, sequence: Int) {
        let log = server.requestLog
        guard let sequence = try await inSlices(log.search(forRecord: id)) else { throw missing(id) }
        return (log, sequence)
    }

    private func missing(_ id: String) -> APIError {
        .notFound(
            "There is no request \"\(id)\" in the log; expected a sequence number, an apns-id, an apns-unique-id or an apns-request-id, and the log keeps the latest \(server.configuration.logLimit)."
        )
    }

    private func delete(_ request: Request) async throws -> Response {
        try request.noBody(
            "conditions are parameters of its URL, as in status=410, or the body of \(APICall.deleteFoundRequests).")
        let query = try RequestQuery(parameters: request.parameters, at: WallClock.now())
        // It would be surprising to delete a page of the matches.
        for name in ["after", "limit", "order"] where try request.parameter(name) != nil {
            throw APIError.badRequest(
                "badParameter", "\(name) is for GET; DELETE deletes all that match, as with status=410.",
                pointer: "/\(name)")
        }
        if query.match.isEmpty { return .json(["deleted": server.deleteAllRequests()]) }
        return try await request.whileConnected { try await delete(query) }
    }

    private func delete(_ query: RequestQuery) async throws -> Response {
        let linted = try await linted(query.lint, query.match.search)
        return .json(["deleted": try await server.deleteRequests(matching: query.match, among: linted)])
    }
}
