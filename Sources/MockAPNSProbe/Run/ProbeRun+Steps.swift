import MockAPNSCore

extension ProbeRun {
    /// A request that has been sent.
    private struct Sent {
        var stream: Int
        /// Its `apns-id` or `apns-request-id`.
        var id: String?
        var method: String?
        /// Its `apns-channel-id`.
        var channel: String?
    }

    /// Takes the steps of a probe; returns an answer for each, `nil` for those that have none.
    func play(_ probe: Probe, on connection: ProbeConnection) async throws -> [JSONText.Value?] {
        var sent: [Sent] = []
        var answers: [JSONText.Value?] = []
        for step in probe.steps {
            let deadline = deadline()
            var answer: JSONText.Value?
            switch step.action {
            case .request(let request, let waits):
                try await pace.beforePush(unless: stop)
                let one = try await send(request, on: connection, of: probe, until: deadline)
                sent.append(one)
                if waits { answer = await self.answer(to: one, on: connection, of: probe, until: deadline) }
            case .finish(let number):
                let one = sent[number - 1]
                await connection.send([], on: one.stream, ends: true, until: deadline)
                answer = await self.answer(to: one, on: connection, of: probe, until: deadline)
            case .answer(let number):
                answer = await self.answer(to: sent[number - 1], on: connection, of: probe, until: deadline)
            case .frames(let frames):
                if frames.contains(where: { $0.type == HTTP2Frame.Kind.headers.rawValue }) {
                    try await pace.beforePush(unless: stop)
                }
                connection.write(frames.map { $0.frame(latest: connection.latestStream) })
            case .text(let text):
                try await pace.beforePush(unless: stop)
                connection.write(Array(filled(text).utf8))
            case .connection(let moment):
                answer = await state(of: connection, moment, until: deadline)
            }
            answers.append(answer)
        }
        return answers
    }

    private func state(
        of connection: ProbeConnection, _ moment: ProbeStep.Moment, until deadline: ContinuousClock.Instant
    ) async -> JSONText.Value {
        let hasCome =
            switch moment {
            case .settled: await connection.settle(until: deadline)
            case .ended: await connection.pump(until: deadline) { _ in false }
            case .settings: await connection.pump(until: deadline) { !$0.settings.isEmpty }
            }
        if !hasCome, connection.end == nil { noteWaitInVain() }
        return connection.state(moment, hasCome: hasCome, secrets)
    }

    private func send(
        _ request: ProbeRequest, on connection: ProbeConnection, of probe: Probe,
        until deadline: ContinuousClock.Instant
    ) async throws -> Sent {
        let hasToken = probe.connection?.certificate == nil && target.keys[.provider] != nil
        var fields: [(name: String, value: String)] = []
        for field in request.allFields(hasToken: hasToken).joined() {
            switch field.value {
            case .text(let text): fields.append((field.name, filled(text)))
            case .repeated(let text, let count): fields.append((field.name, String(repeating: text, count: count)))
            case .token(let shape): fields.append((field.name, try tokens.authorization(shape)))
            }
        }
        for secret in tokens.secrets { secrets.add(secret) }
        if let size = request.framing.headerListSize {
            let taken =
                fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 } + "x-probe".utf8.count + 32
            fields.append(("x-probe", String(repeating: "x", count: max(0, size - taken))))
        }
        let body = bytes(of: request.body)
        let framing = request.framing
        let endsAtOnce = framing.ends && body == nil && !framing.hasEmptyLastFrame
        let stream = connection.begin(fields, framing, ends: endsAtOnce)
        if let body {
            let length = max(1, (body.count + framing.dataFrames - 1) / framing.dataFrames)
            var parts = stride(from: 0, to: body.count, by: length).map {
                Array(body[$0..<min(body.count, $0 + length)])
            }
            if framing.hasEmptyLastFrame || parts.isEmpty { parts.append([]) }
            for (index, part) in parts.enumerated() {
                let ends = framing.ends && index == parts.count - 1
                await connection.send(part, on: stream, padding: framing.padding, ends: ends, until: deadline)
            }
        }
        func first(_ names: String...) -> String? { fields.first { names.contains($0.name) }?.value }
        return Sent(
            stream: stream, id: first("apns-id", "apns-request-id"), method: first(":method"),
            channel: first("apns-channel-id"))
    }

    private func bytes(of body: ProbeRequest.Body) -> [UInt8]? {
        switch body {
        case .none: return nil
        case .text(let text): return Array(filled(text).utf8)
        case .hex(let bytes): return bytes
        case .padded(let count):
            let (start, end) = (#"{"aps":{"alert":""#, #""}}"#)
            return Array(
                (start + String(repeating: "x", count: max(0, count - start.utf8.count - end.utf8.count)) + end).utf8)
        }
    }

    /// Waits for the answer to a request.
    private func answer(
        to sent: Sent, on connection: ProbeConnection, of probe: Probe, until deadline: ContinuousClock.Instant
    ) async -> JSONText.Value {
        let isOver = await connection.pump(until: deadline) { $0.streams[sent.stream]?.isOver != false }
        if isOver, connection.streams[sent.stream]?.resets.isEmpty == false {
            // A second RST_STREAM may follow.
            _ = await connection.settle(until: deadline)
        }
        if !isOver, !connection.goAways.isEmpty { _ = await connection.pump(until: deadline) { _ in false } }
        if !isOver, connection.end == nil { noteWaitInVain() }
        if let stream = connection.streams[sent.stream] { note(stream, to: sent) }
        return connection.answer(
            on: sent.stream, sentID: sent.id, showsSettings: probe.connection != nil,
            AnswerFilter(secrets: secrets, channels: channels.open))
    }

    /// Keeps in mind which channels there are.
    private func note(_ answer: ProbeConnection.Stream, to sent: Sent) {
        if answer.first(":status") == "201", let id = answer.first("apns-channel-id") { channels.open.append(id) }
        if answer.first(":status") == "204", sent.method == "DELETE" { channels.open.removeAll { $0 == sent.channel } }
    }

    // MARK: Channels

    /// Makes the channels that a probe needs and that are not there yet; returns why that cannot be done.
    func makeChannels(for probe: Probe) async throws -> String? {
        for kind in probe.channels where kind == .fresh || channels.ids[kind] == nil {
            if let problem = channels.problem { return problem }
            var create = ProbeRequest(.create)
            create.body = .text(ProbeCall.parameters(policy: kind == .unstored ? 0 : 1))
            let before = channels.open.count
            let answer = try await call(create)
            guard channels.open.count == before + 1, let id = channels.open.last else {
                let problem = "the server makes no channel for it: \(AnswerTemplate.summary(answer))"
                channels.problem = problem
                return problem
            }
            channels.ids[kind] = id
            if kind == .deleted { try await delete(id) }
        }
        return nil
    }

    /// Deletes the channels that the run has made, but not those of some kinds.
    func deleteChannels(except kinds: [ChannelKind]) async {
        for id in channels.open where !kinds.contains(where: { channels.ids[$0] == id }) {
            // One that cannot be deleted is reported at the end.
            do { try await delete(id) } catch { return }
        }
    }

    private func delete(_ id: String) async throws {
        var delete = ProbeRequest(.delete)
        delete.fields = [("apns-channel-id", [.text(id)])]
        _ = try await call(delete)
    }

    /// Sends a call that is part of no probe, and waits for its answer.
    private func call(_ request: ProbeRequest) async throws -> JSONText.Value {
        endpoint = .management
        let probe = Probe(
            group: .broadcast, name: "", title: "", fact: Self.noFact, source: "",
            steps: [ProbeStep(action: .request(request, waits: true), expected: [])])
        return try await play(probe, on: try await sharedConnection(for: probe))[0] ?? .null
    }

    private static let noFact = FidelityFact(id: "", behavior: "", mark: .guessed, remark: nil, source: "")
}

extension ProbeFrame {
    fileprivate func frame(latest: Int) -> HTTP2Frame {
        switch stream {
        case .number(let number): HTTP2Frame(type: type, flags: flags, stream: number, payload)
        case .latest: HTTP2Frame(type: type, flags: flags, stream: latest, payload)
        }
    }
}
