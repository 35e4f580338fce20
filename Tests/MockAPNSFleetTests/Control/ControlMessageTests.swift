import MockAPNS
import MockAPNSCore
import Testing

@testable import MockAPNSFleet

/// A call arrives as it was shipped, by its name.
@Suite struct ControlMessageTests {
    @Test(arguments: APICall.allCases)
    func aCallArrivesAsItWas(_ name: APICall) {
        let values = name.variables.map { "\($0)%20%2F" }
        for (query, replica) in [("", nil), ("reset=true&format=text", "a")] as [(String, String?)] {
            let call = FleetCall(name, values, query: query, body: [0, 0xFF, 0x0A], replica: replica)
            let entry = StreamEntry(id: .zero, fields: ControlMessage.fields(of: call, id: 7))
            guard case .call(let read) = ControlMessage(entry) else {
                Issue.record("\(name) is not read")
                continue
            }
            #expect(read == call)
            #expect(!entry.fields.contains { String(decoding: $0.value, as: UTF8.self).contains("api") })
        }
    }

    @Test(arguments: [
        ("fly", "", "c"), ("getDevice", "", "c"), ("getDevice", "a/b", "c"), ("reset", "a", "c"), ("reset", "", "b"),
        ("reset", "", "q"),
    ])
    func anythingElseIsNotRead(_ name: String, _ values: String, _ key: String) {
        var fields = [("k", "call"), ("c", name), ("p", values), ("q", ""), ("b", "")].map {
            (name: $0.0, value: Array($0.1.utf8))
        }
        if key != "c" { fields.removeAll { $0.name == key } }
        if ControlMessage(StreamEntry(id: .zero, fields: fields)) != nil { Issue.record("It is read.") }
    }
}
