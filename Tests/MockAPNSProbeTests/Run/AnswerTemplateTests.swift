import MockAPNSCore
import MockAPNSProbe
import Testing

@Suite struct AnswerTemplateTests {
    @Test(arguments: [
        (#"{"status":200,"apnsID":"sent"}"#, #"{"status":200}"#, true),
        (#"{"status":200}"#, #"{"status":400}"#, false),
        (#"{"status":200}"#, #"{"status":{"oneOf":[400,200]}}"#, true),
        (#"{"status":200}"#, #"{"reason":null}"#, true),
        (#"{"reason":"BadPath"}"#, #"{"reason":null}"#, false),
        (#"{"reset":["REFUSED_STREAM"]}"#, #"{"reset":["REFUSED_STREAM"]}"#, true),
        (#"{"reset":["REFUSED_STREAM","STREAM_CLOSED"]}"#, #"{"reset":["REFUSED_STREAM"]}"#, false),
        (#"{"reset":["REFUSED_STREAM","STREAM_CLOSED"]}"#, #"{"reset":{"first":"REFUSED_STREAM"}}"#, true),
        (#"{"settings":[{"A":1},{"A":2}]}"#, #"{"settings":{"last":{"A":{"atLeast":2}}}}"#, true),
        (#"{"settings":[{"A":1},{"A":2}]}"#, #"{"settings":{"last":{"A":{"atLeast":3}}}}"#, false),
        (#"{"settings":[{"A":1}]}"#, #"{"settings":{"count":{"atLeast":1}}}"#, true),
        (#"{"settings":[]}"#, #"{"settings":{"first":{"A":1}}}"#, false),
        (#"{"text":"Unexpected HTTP/1.x"}"#, #"{"text":{"prefix":"Unexpected"}}"#, true),
        (#"{"status":200}"#, #"{"goAway":{"last":{"reason":"Shutdown"}}}"#, false),
    ])
    func templates(answer: String, template: String, fits: Bool) throws {
        let (answer, template) = (try JSONText.read(Array(answer.utf8)), try JSONText.read(Array(template.utf8)))
        #expect(AnswerTemplate.fits(answer, template) == fits)
    }

    @Test func textsForPeople() throws {
        let template = try JSONText.read(
            Array(#"{"status":400,"reason":{"oneOf":["BadTopic","TopicDisallowed"]},"uniqueID":null}"#.utf8))
        #expect(AnswerTemplate.text(template) == "status 400, reason BadTopic or TopicDisallowed, uniqueID absent")
        #expect(AnswerTemplate.text([template, .text("x")]).hasSuffix("; or x"))
    }
}
