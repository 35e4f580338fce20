import HTTPTypes
import Hummingbird
import MockAPNSCore
import MockAPNSJudge
import NIOCore

extension Response {
    /// Creates the answer with a page of requests; a long one is written as the client reads it, so that it is never in
    /// memory as a whole.
    static func page(
        _ page: RequestPage, nearMisses: [NearMiss]? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        var pieces = page.pieces(nearMisses: nearMisses)
        let first = ByteBuffer(bytes: pieces.next() ?? [])
        if pieces.isComplete { return json(first, status: status) }
        let body = ResponseBody { [pieces] writer in
            var rest = pieces
            try await writer.write(first)
            while let piece = rest.next() { try await writer.write(ByteBuffer(bytes: piece)) }
            try await writer.finish(nil)
        }
        return Response(status: status, headers: [.contentType: "application/json"], body: body)
    }
}
