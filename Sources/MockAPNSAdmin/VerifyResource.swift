import Hummingbird
import MockAPNS
import MockAPNSCore

/// `/api/v1/verify`: whether what is expected has happened.
struct VerifyResource {
    let server: MockAPNSServer

    func add(to group: RouterGroup<BasicRequestContext>) {
        group.post("verify") { request, _ in
            let scenario = server.vocabulary
            let question = try await request.part { scenario.verificationQuestion(from: $0) }
            guard let expectations = question.expectations else { return Self.answer(await server.verify()) }
            return Self.answer(await server.verify(expectations, within: question.within, in: scenario))
        }
    }

    private static func answer(_ verification: Verification) -> Response {
        .json(ByteBuffer(bytes: verification.json))
    }
}
