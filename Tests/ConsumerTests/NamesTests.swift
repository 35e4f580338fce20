import EverydayNames
import MockAPNS
import Testing

// Everyday names, once more: of this target itself.

private struct Configuration: Sendable, Equatable {
    var ours = true
}

private struct Device: Sendable, Equatable {
    var ours = true
}

private struct Identity: Sendable, Equatable {
    var ours = true
}

private struct Priority: Sendable, Equatable {
    var ours = true
}

private struct Push: Sendable, Equatable {
    var ours = true
}

private struct Reason: Sendable, Equatable {
    var ours = true
}

private struct Rule: Sendable, Equatable {
    var ours = true
}

private struct Verification: Sendable, Equatable {
    var ours = true
}

/// Whether MockAPNS leaves everyday names to those who import it.
@Suite struct NamesTests {
    @Test("A target's own types mean its own, and need no prefix")
    func own() {
        #expect(Configuration() == Configuration() && Device() == Device() && Identity() == Identity())
        #expect(Priority().ours && Push().ours && Reason().ours && Rule().ours && Verification().ours)
    }

    @Test("Names of another module are not ambiguous beside MockAPNS")
    func imported() {
        _ = Authentication()
        _ = Certificate()
        _ = Check()
        _ = Connection()
        _ = Count()
        _ = Delivery()
        _ = DeviceState()
        _ = Direction()
        _ = Ending()
        _ = Environment()
        _ = ErrorCode()
        _ = Event()
        _ = Expectation()
        _ = Field()
        _ = Gateway()
        _ = GoAway()
        _ = JSONValue()
        _ = Log()
        _ = LoggedRequest()
        _ = Match()
        _ = Matcher()
        _ = NearMiss()
        _ = Outcome()
        _ = Payload()
        _ = PushType()
        _ = Registration()
        _ = Report()
        _ = Request()
        _ = Scenario()
        _ = Server()
        _ = Session()
        _ = StartError()
        _ = Step()
        _ = Summary()
        _ = Token()
        _ = Topic()
    }

    @Test("The server's types are found in it")
    func nested() {
        let configuration = MockAPNSServer.Configuration(scenario: .json("{}"))
        #expect(configuration.environment == .sandbox && configuration.authentication == .verify)
        #expect(MockAPNSServer.Reason.tooManyRequests.status == 429)
    }
}
