import Testing

@testable import MockAPNSCore

@Suite struct RequestDifferencesTests {
    private static func compare(_ old: String, _ new: String) throws -> String {
        let differences = RequestDifferences(
            from: try JSONText.read(Array(old.utf8)), to: try JSONText.read(Array(new.utf8)))
        return String(decoding: differences.json, as: UTF8.self)
    }

    @Test("Each value that differs has its place in the record, and both values")
    func places() throws {
        #expect(
            try Self.compare(
                #"{"sequence":1,"status":200,"payload":{"aps":{"badge":1,"sound":"default","loc-args":["a","b"]}}}"#,
                #"{"sequence":2,"status":410,"payload":{"aps":{"badge":2,"alert":"Hi","loc-args":["a"]}}}"#)
                == #"[{"pointer":"/status","from":200,"to":410},{"pointer":"/payload/aps/badge","from":1,"to":2},"#
                + #"{"pointer":"/payload/aps/alert","to":"Hi"},{"pointer":"/payload/aps/loc-args/1","from":"b"},"#
                + #"{"pointer":"/payload/aps/sound","from":"default"}]"#)
    }

    @Test("What is different in any two requests is left out, and a payload may have such names")
    func leftOut() throws {
        let (old, new) = (
            #"{"sequence":1,"time":"a","uniqueID":"c","payload":{"time":1.0}}"#,
            #"{"sequence":2,"time":"b","uniqueID":"d","payload":{"time":1}}"#
        )
        #expect(try Self.compare(old, new) == "[]")
        #expect(
            try Self.compare(old, #"{"sequence":2,"time":"b","payload":{"time":2}}"#)
                == #"[{"pointer":"/payload/time","from":1.0,"to":2}]"#)
        #expect(
            try Self.compare(#"{"payload":null}"#, #"{"payload":{"a/b":[]}}"#)
                == #"[{"pointer":"/payload","from":null,"to":{"a/b":[]}}]"#)
    }
}
