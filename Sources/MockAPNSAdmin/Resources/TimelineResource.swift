import MockAPNS
import MockAPNSCore

/// `/api/v1/timeline`: what requests came to, second by second, and what else happened meanwhile.
struct TimelineResource {
    let server: MockAPNSServer

    func add(to api: inout CallRoutes) {
        // The query says what is wrong with it.
        api.on(.getTimeline, checksParameters: false) { request in
            let query = try TimelineQuery(parameters: request.parameters, at: WallClock.now())
            return try await request.whileConnected {
                let buckets = server.timeline.buckets(in: query.range, of: query.bucket)
                let marks = try await inSlices(server.events.marks(in: query.range)).marks
                return .json(["buckets": buckets.map(Self.object), "marks": marks.map(Self.object)])
            }
        }
    }

    private static func object(_ bucket: RequestTimeline.Bucket) -> JSONObject {
        let latencies = bucket.latencies(50, 99)
        let counts = zip(RequestTimeline.classes, bucket.counts).map { ($0, $1 as any JSONRepresentable) }
        return JSONObject(
            [("at", Timestamp(seconds: bucket.start))] + counts + [("p50", latencies[0]), ("p99", latencies[1])])
    }

    private static func object(_ mark: TimelineMarks.Mark) -> JSONObject {
        ["from": mark.from, "to": mark.to, "kind": mark.kind.rawValue, "name": mark.name]
    }
}
