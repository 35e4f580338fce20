import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// Who waits for requests costs a push next to nothing, and is woken exactly when there are enough.
@Suite struct WaitTableTests {
    /// A table, and the log that it is told of.
    private struct Rig {
        var log = RequestLog()
        var table = WaitTable()
        private let patterns = PatternContext()

        mutating func begin(_ match: RequestMatch, count: Int = 1, after: Int = 0) throws -> Int {
            let id = try table.begin(match, count: count, after: after, latest: log.latestSequence, patterns)
            _ = table.noteFound(log.snapshot.found(match, after: after), by: id)
            return id
        }

        mutating func push(_ push: RecordedPush) {
            let sequence = push.append(to: &log)
            log.withSubject(sequence) { table.take(&$0) }
        }

        mutating func update(_ sequence: Int, _ update: RequestUpdate) {
            let before = log.withSubject(sequence) { RecordState($0.record) }
            log.update(sequence, with: update, at: Timestamp(milliseconds: 0))
            guard let before else { return }
            log.withSubject(sequence) { table.change(&$0, from: before) }
        }

        /// Which waits the table finds for a record.
        static func found(_ index: WaitIndex, _ push: RecordedPush) -> Set<Int> {
            var log = RequestLog()
            push.append(to: &log)
            var found: [Int] = []
            log.withSubject(1) { index.find(&$0, into: &found) }
            return Set(found)
        }
    }

    private static func match(_ text: String) throws -> RequestMatch {
        var scenario = Scenario()
        var alice = DeclaredDevice(token: try #require(DeviceToken(hex: token(1))))
        alice.name = "alice"
        scenario.devices = [alice]
        let (match, mistakes) = scenario.match(from: try JSONText.read(Array(text.utf8)))
        try #require(mistakes.isEmpty, "\(mistakes)")
        return RequestMatch(try #require(match), in: scenario)
    }

    private static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    private static func push(_ fields: [(String, String)], body: String = #"{"aps":{"alert":"Hello"}}"#) -> RecordedPush
    {
        var push = RecordedPush(body: body)
        for (name, value) in fields {
            switch name {
            case "token": push.add(":path", value) { $0.token = $1 }
            case "apns-topic": push.add(name, value) { $0.topic = $1 }
            case "apns-id": push.add(name, value) { $0.apnsID = .sent($1) }
            default: push.add(name, value)
            }
        }
        return push
    }

    @Test func aPushTestsOnlyWaitsItCanMatch() throws {
        var index = WaitIndex()
        for number in 0..<3000 { _ = index.add(number, for: try Self.match(#"{"token": "\#(Self.token(number))"}"#)) }
        #expect(Rig.found(index, Self.push([("token", Self.token(17).uppercased())])) == [17])
        #expect(Rig.found(index, Self.push([("token", Self.token(3000))])) == [])
        #expect(Rig.found(index, Self.push([])) == [])
    }

    @Test(arguments: [
        #"{"apnsID": "EABE9F27-06B2-4FCC-8E9B-3FA3D5B6A6B1"}"#, #"{"apnsID": "eabe9f27-06b2-4fcc-8e9b-3fa3d5b6a6b1"}"#,
        #"{"token": "00FC13ADFF785122B4AD28809A3420982341241421348097878E577C991DE8F0"}"#,
        #"{"device": "alice"}"#, #"{"collapseID": "score"}"#,
        #"{"topic": "com.example.app", "status": {"atLeast": 1}}"#,
        #"{"connection": 1}"#, #"{"providerToken": {"oneOf": [1, 7]}}"#, #"{"requestOnConnection": 1}"#,
        #"{"keyID": "ABC123DEFG"}"#, #"{"teamID": "DEF123GHIJ"}"#, #"{"serverName": "localhost"}"#,
        #"{"expiration": 0}"#,
        #"{"payloadBytes": 25}"#, #"{"inFlight": 1}"#, #"{"status": 200}"#, #"{"pushType": "alert"}"#,
        #"{"priority": 10}"#,
        #"{"header": {"apns-expiration": "0"}}"#, #"{"header": {"apns-expiration": {"oneOf": ["7", "0"]}}}"#,
        #"{"payload": {"/aps/alert": "Hello"}}"#, #"{"body": "{\"aps\":{\"alert\":\"Hello\"}}"}"#,
    ])
    func findsAWaitByWhatItDemands(_ text: String) throws {
        var index = WaitIndex()
        guard case .values = index.add(5, for: try Self.match(text)) else {
            Issue.record("it would be tested with every push")
            return
        }
        var push = RecordedPush.ordinary()
        push.attachments = [(.device, "alice")]
        var log = RequestLog()
        push.record.serverName = log.index(ofServerName: "localhost")
        push.append(to: &log)
        var found: [Int] = []
        log.withSubject(1) { index.find(&$0, into: &found) }
        #expect(found == [5])
        var other = RecordedPush(body: "")
        other.record.connectionID = 2
        #expect(Rig.found(index, other) == [])
    }

    @Test func aServerMadeIDFindsItsWait() throws {
        var index = WaitIndex()
        _ = index.add(1, for: try Self.match(#"{"apnsID": "01234567-89AB-CDEF-FEDC-BA9876543210"}"#))
        var push = RecordedPush()
        push.record.apnsID = .made(.init(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210))
        #expect(Rig.found(index, push) == [1])
    }

    @Test func waitsSharingAFieldAreDistinguishedByAnother() throws {
        var index = WaitIndex()
        for number in 0..<1000 {
            let text = #"{"topic": "com.example.app", "payload": {"/id": \#(number)}}"#
            _ = index.add(number, for: try Self.match(text))
        }
        let found = Rig.found(index, Self.push([("apns-topic", "com.example.app")], body: #"{"id":900}"#))
        #expect(found.contains(900) && found.count <= 10)
    }

    @Test(arguments: ["{}", #"{"payload": {"/a": {"contains": "b"}}}"#, #"{"header": {"a": {"prefix": "b"}}}"#])
    func equalWaitsAreTestedOnce(_ text: String) throws {
        var rig = Rig()
        for _ in 0..<3000 { _ = try rig.begin(Self.match(text), count: 5) }
        #expect(rig.table.count == 3000 && rig.table.groupCount == 1)
    }

    @Test func cancelledWaitsLeaveNothingBehind() throws {
        var rig = Rig()
        let texts = ["{}", #"{"token": "\#(Self.token(1))"}"#, #"{"header": {"a": "b"}}"#, #"{"payload": {"/a": 1}}"#]
        var ids: [Int] = []
        for text in texts { ids.append(try rig.begin(Self.match(text))) }
        #expect(rig.table.groupCount == 4)
        for id in ids { rig.table.cancel(id) }
        #expect(rig.table.isEmpty && rig.table.groupCount == 0 && !rig.table.seesChanges)
        rig.push(.ordinary())
        #expect(rig.table.takeWoken().isEmpty)
    }

    @Test func tenThousandCanWait() throws {
        var rig = Rig()
        for _ in 0..<10_000 { _ = try rig.begin(RequestMatch()) }
        #expect(throws: WaitRefusal.tooMany) { _ = try rig.begin(RequestMatch()) }
        rig.push(.ordinary())
        #expect(rig.table.takeWoken().count == 10_000)
        _ = try rig.begin(RequestMatch(), count: 2)
    }

    @Test func differentRegularExpressionsAreBounded() throws {
        var rig = Rig()
        var ids: [Int] = []
        for number in 0..<100 { ids.append(try rig.begin(Self.match(#"{"topic": {"matches": "a\#(number)"}}"#))) }
        let one = try Self.match(#"{"topic": {"matches": "b"}}"#)
        #expect(throws: WaitRefusal.tooManyPatterns) { _ = try rig.begin(one) }
        _ = try rig.begin(Self.match(#"{"topic": {"matches": "a0"}}"#))
        _ = try rig.begin(Self.match(#"{"topic": "b"}"#))
        rig.table.cancel(ids[1])
        _ = try rig.begin(one)
    }

    @Test func longWaitsKeepOnlyWhatAnswersName() throws {
        var rig = Rig()
        let long = try rig.begin(RequestMatch(), count: 20_000)
        for round in 0..<20 {
            let short = try rig.begin(RequestMatch(), count: 1000, after: rig.log.latestSequence)
            for _ in 0..<1000 { rig.push(RecordedPush()) }
            let woken = rig.table.takeWoken()
            #expect(woken.map(\.id) == (round < 19 ? [short] : [long, short]))
            let found = try #require(woken.last?.found).sequences
            #expect(found.first == round * 1000 + 1 && found.last == round * 1000 + 1000 && found.count == 1000)
            guard round == 19, let found = woken.first?.found else { continue }
            #expect(found.sequences == Array(1...1000) && found.total == 20_000)
        }
    }

    /// Whatever waits, comes, changes and is given up: who is woken is who would be if the log were searched each time.
    @Test(arguments: UInt64(1)...40)
    func wakesWhomASearchWouldWake(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func number(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        let conditions = [
            #""topic": "t0""#, #""topic": {"oneOf": ["t0", "t1"]}"#, #""payload": {"/n": 1}"#, #""header": {"x": "1"}"#,
            #""outcome": "delayed""#, #""delivery": "Delivered to Device""#, #""topic": {"not": "t1"}"#,
            #""payload": {"/n": {"atLeast": 1}}"#, #""status": 200"#,
        ]
        var rig = Rig()
        var waiting: [Int: (match: RequestMatch, count: Int, after: Int)] = [:]
        for _ in 0..<400 {
            switch number(8) {
            case 0, 1:
                let chosen = (0..<number(3)).map { _ in conditions[number(conditions.count)] }
                let names = chosen.map { $0.prefix { $0 != ":" } }
                guard Set(names).count == names.count else { continue }
                let match = try Self.match("{\(chosen.joined(separator: ", "))}")
                let wait = (match, 1 + number(6), max(0, rig.log.latestSequence - 5 + number(10)))
                waiting[try rig.begin(match, count: wait.1, after: wait.2)] = wait
            case 2:
                guard let id = waiting.keys.sorted().first else { continue }
                rig.table.cancel(id)
                waiting[id] = nil
            case 3, 4:
                guard rig.log.latestSequence > 0 else { continue }
                var update = RequestUpdate()
                if number(2) == 0 {
                    update.outcome = number(2) == 0 ? .delayed : .responded
                } else {
                    update.delivery = number(2) == 0 ? .delivered : .storedOffline
                }
                rig.update(max(1, rig.log.latestSequence - number(8)), update)
            default:
                var push = Self.push(
                    [("apns-topic", "t\(number(3))"), ("x", "\(number(2))")], body: #"{"n":\#(number(3))}"#)
                push.record.status = number(2) == 0 ? 200 : 400
                push.record.outcome = number(2) == 0 ? .delayed : .responded
                rig.push(push)
            }
            let log = rig.log.snapshot
            let due = waiting.filter { log.found($0.value.match, after: $0.value.after).total >= $0.value.count }
            let woken = rig.table.takeWoken()
            #expect(Set(woken.map(\.id)) == Set(due.keys))
            for wait in woken {
                guard let (match, _, after) = waiting.removeValue(forKey: wait.id) else { continue }
                if let found = wait.found { #expect(found == log.found(match, after: after)) }
            }
            #expect(rig.table.count == waiting.count)
        }
    }
}
