package import MockAPNSCore

/// Reads a file of probes: `{"group", "probes": [{"name", "title", "fact", "connection", "steps"}]}`.
package struct ProbeReader {
    private let table: FidelityTable
    private var group = ProbeGroup.checks

    /// - Parameter table: the facts that probes refer to.
    package init(_ table: FidelityTable) { self.table = table }

    /// Returns the probes of a file in order.
    package mutating func read(_ text: [UInt8]) throws(JSONText.Mistake) -> [Probe] {
        var root = try Members(JSONText.read(text))
        group = try root.word("group")
        var probes: [Probe] = []
        for value in try root.list("probes") {
            let probe = try probe(value)
            if probes.contains(where: { $0.name == probe.name }) {
                throw value.mistake("expected a name that no other probe of the group has, found \"\(probe.name)\"")
            }
            probes.append(probe)
        }
        try root.end()
        return probes
    }

    private func probe(_ value: JSONText.Value) throws(JSONText.Mistake) -> Probe {
        var members = try Members(value)
        let id = try members.required("fact")
        guard let fact = table.fact(try id.expectedText()) else { throw id.mistake("expected a fact of facts.json") }
        var connection: ProbeConnectionSetup?
        if let setup = members.value("connection") { connection = try self.connection(setup) }
        var steps: [ProbeStep] = []
        for step in try members.list("steps") { steps.append(try self.step(step)) }
        let probe = Probe(
            group: group, name: try members.text("name"), title: try members.text("title"), fact: fact,
            source: table.plainSource(of: fact), connection: connection, steps: steps)
        try members.end()
        return probe
    }

    private func connection(_ value: JSONText.Value) throws(JSONText.Mistake) -> ProbeConnectionSetup {
        var members = try Members(value)
        var setup = ProbeConnectionSetup()
        setup.versions = try members.word("tls", or: .all)
        if let protocols = members.value("protocols") {
            setup.protocols = []
            for name in protocols.array ?? [] { setup.protocols.append(try name.expectedText()) }
        }
        if let certificate = members.value("certificate") { setup.certificate = try certificate.expectedWord() }
        setup.preface = try members.word("preface", or: .atOnce)
        setup.acknowledges = try members.bool("acknowledges") ?? true
        try members.end()
        return setup
    }

    private func step(_ value: JSONText.Value) throws(JSONText.Mistake) -> ProbeStep {
        var members = try Members(value)
        let waits = try members.bool("waits") ?? true
        let action: ProbeStep.Action
        if let request = members.value("request") {
            action = .request(try ProbeRequest(request), waits: waits)
        } else if let frames = members.value("frames") {
            var list: [ProbeFrame] = []
            for frame in frames.array ?? [] { list.append(try ProbeFrame(frame)) }
            action = .frames(list)
        } else if let text = try members.optionalText("text") {
            action = .text(text)
        } else if let number = try members.number("finish") {
            action = .finish(number)
        } else if let number = try members.number("answer") {
            action = .answer(number)
        } else {
            action = .connection(try members.word("connection"))
        }
        var expected: [JSONText.Value] = []
        if let expect = members.value("expect") { expected = expect.array ?? [expect] }
        try members.end()
        return ProbeStep(action: action, expected: expected)
    }
}

extension ProbeRequest {
    fileprivate init(_ value: JSONText.Value) throws(JSONText.Mistake) {
        var members = try Members(value)
        self.init(try members.word("call", or: ProbeCall.push))
        for member in members.value("fields")?.object ?? [] {
            fields.append((member.key, try Self.values(member.value)))
        }
        if let list = members.value("list") {
            self.list = []
            for pair in list.array ?? [] {
                guard let name = pair[0]?.string, let value = pair[1] else {
                    throw pair.mistake("expected a name and a value")
                }
                self.list?.append((name, try Value(value)))
            }
        }
        if let body = members.value("body") { self.body = try Body(body) }
        if let framing = members.value("framing") { self.framing = try ProbeFraming(framing) }
        try members.end()
    }

    /// Reads one value, several, or `null` for none.
    private static func values(_ value: JSONText.Value) throws(JSONText.Mistake) -> [Value] {
        if value.isNull { return [] }
        guard let list = value.array else { return [try Value(value)] }
        var values: [Value] = []
        for value in list { values.append(try Value(value)) }
        return values
    }
}

extension ProbeRequest.Value {
    fileprivate init(_ value: JSONText.Value) throws(JSONText.Mistake) {
        if let text = value.string {
            self = .text(text)
        } else if let token = value["token"] {
            self = .token(try ProviderTokenShape(token))
        } else {
            var members = try Members(value)
            self = .repeated(try members.text("repeat"), try members.number("times") ?? 1)
            try members.end()
        }
    }
}

extension ProbeRequest.Body {
    fileprivate init(_ value: JSONText.Value) throws(JSONText.Mistake) {
        if value.isNull {
            self = .none
        } else if let text = value.string {
            self = .text(text)
        } else if let count = value["bytes"]?.int64 {
            self = .padded(Int(count))
        } else if let hex = value["hex"] {
            self = .hex(try hex.expectedBytes())
        } else {
            throw value.mistake(#"expected null, text, {"bytes": n} or {"hex": text}"#)
        }
    }
}

extension ProbeFraming {
    fileprivate init(_ value: JSONText.Value) throws(JSONText.Mistake) {
        var members = try Members(value)
        dataFrames = try members.number("dataFrames") ?? 1
        hasEmptyLastFrame = try members.bool("emptyLastFrame") ?? false
        padding = try members.number("padding")
        isContinued = try members.bool("continued") ?? false
        isCompressed = try members.bool("compressed") ?? false
        ends = try members.bool("ends") ?? true
        hasPriority = try members.bool("priority") ?? false
        headerListSize = try members.number("headerListSize")
        try members.end()
    }
}

extension ProviderTokenShape {
    fileprivate init(_ value: JSONText.Value) throws(JSONText.Mistake) {
        var members = try Members(value)
        key = try members.word("key", or: .provider)
        scheme = try members.optionalText("scheme") ?? "bearer "
        signature = try members.word("signature", or: .raw)
        hasStandardAlphabet = try members.bool("standardAlphabet") ?? false
        isPadded = try members.bool("padded") ?? false
        algorithm = try members.optionalText("algorithm") ?? "ES256"
        namesKey = try members.bool("kid") ?? true
        namesTeam = try members.bool("iss") ?? true
        age = try members.number("age") ?? 0
        issuedAtForm = try members.word("iat", or: .integer)
        isVerbose = try members.bool("verbose") ?? false
        try members.end()
    }
}

extension ProbeFrame {
    fileprivate init(_ value: JSONText.Value) throws(JSONText.Mistake) {
        var members = try Members(value)
        let type = try members.required("type")
        if let number = type.int64 {
            self.type = UInt8(truncatingIfNeeded: number)
        } else if let kind = HTTP2Frame.Kind(name: try type.expectedText()) {
            self.type = kind.rawValue
        } else {
            throw type.mistake("expected the name of a frame, such as DATA, or a number")
        }
        flags = UInt8(truncatingIfNeeded: try members.number("flags") ?? 0)
        let stream = members.value("stream")
        if let number = stream?.int64 {
            self.stream = .number(Int(number))
        } else if stream?.string == "latest" {
            self.stream = .latest
        } else {
            self.stream = .number(0)
        }
        payload = try members.value("hex")?.expectedBytes() ?? []
        try members.end()
    }
}

extension JSONText.Value {
    /// Bytes in hexadecimal; blanks between them are left out.
    fileprivate func expectedBytes() throws(JSONText.Mistake) -> [UInt8] {
        let digits = try expectedText().compactMap { $0 == " " ? nil : $0.hexDigitValue }
        guard digits.count % 2 == 0 else { throw mistake("expected an even number of hexadecimal digits") }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
