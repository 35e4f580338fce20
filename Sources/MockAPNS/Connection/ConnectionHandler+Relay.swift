import Logging
import MockAPNSCore
import MockAPNSTransport
import NIOCore

// A relay: what no rule decides is passed on to the upstream, and what that does is passed back.

extension ConnectionHandler {
    /// Passes pushes on to the upstream, over the connection that belongs to this one.
    func pass(_ pushes: [OrderedPush], to target: RelayTarget, _ context: ChannelHandlerContext) {
        if upstream?.isEnded ?? true {
            let hasCertificate = tls.facts?.clientCertificate != nil
            do {
                upstream = try UpstreamConnection.open(
                    to: target, for: context.channel, hasCertificate: hasCertificate)
            } catch {
                engine.logger.error("The upstream \(target.authority) cannot be connected to: \(error)")
                let why = "The upstream \(target.authority) cannot be connected to (\(error))."
                var event = UpstreamEvent()
                event.answers = pushes.map { push in
                    .init(
                        id: push.id, stream: Int32(bitPattern: push.stream), since: lastRead, UpstreamAnswer(.lost(why))
                    )
                }
                let (channel, answers) = (context.channel, event)
                context.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(answers) }
                return
            }
        }
        upstream?.pass(pushes, arrived: lastRead)
    }

    /// Passes back what the upstream has done.
    func passBack(_ event: UpstreamEvent, _ context: ChannelHandlerContext) {
        if let why = event.why { engine.warn(.upstream, why) }
        guard let session, life.answers else { return giveUp(event.answers) }
        if let limit = event.streamLimit {
            begin(engine.relayLimit(limit, on: connectionID), on: session, stream: 0, context)
        }
        if let (lastStream, errorCode, debugData) = event.goAway {
            let goAway = GoAway(lastStream: lastStream, errorCode: errorCode, debugData: debugData)
            begin(engine.relayGoAway(goAway, on: connectionID), on: session, stream: 0, context)
        }
        for (decided, answer) in zip(engine.decideRelayed(event.answers), event.answers) {
            guard let decision = decided, postponed.removeValue(forKey: answer.stream) != nil else { continue }
            guard case .answered = answer.answer.outcome, decision.answer != nil else {
                perform(decision, for: answer.stream, on: session, context)
                continue
            }
            session.respond(to: answer.stream, fields: answer.fields, body: answer.body.isEmpty ? nil : answer.body)
        }
        if event.isClosed { begin(engine.relayEnd(on: connectionID), on: session, stream: 0, context) }
        send(context)
        settle(context)
    }

    /// Records pushes whose provider has left or canceled them.
    private func giveUp(_ answers: [UpstreamEvent.Answer]) {
        for answer in answers { postponed[answer.stream] = nil }
        _ = engine.decideRelayed(answers)
    }

    /// Cancels pushes at the upstream, too.
    func cancelRelayed(_ streams: [(stream: Int32, id: Int, errorCode: UInt32)]) {
        guard let upstream, !streams.isEmpty else { return }
        upstream.cancel(streams.map { ($0.stream, $0.errorCode) })
        giveUp(
            streams.map { stream, id, _ in
                .init(
                    id: id, stream: stream, since: lastRead,
                    UpstreamAnswer(.lost("The client canceled it before the upstream answered.")))
            })
    }

    /// Leaves the upstream, since the provider's connection has ended.
    func leaveUpstream() {
        guard let upstream else { return }
        upstream.leave()
        self.upstream = nil
        giveUp(
            postponed.sorted { $0.key < $1.key }.map { stream, id in
                .init(
                    id: id, stream: stream, since: lastRead,
                    UpstreamAnswer(.lost("The connection ended before the upstream answered.")))
            })
    }
}

extension Engine {
    /// Records pushes with the answers of the upstream; what to do about each, `nil` for one that does not wait any more.
    func decideRelayed(_ answers: [UpstreamEvent.Answer]) -> [Decision?] {
        guard !answers.isEmpty else { return [] }
        let now = NIODeadline.now()
        return transact { gateway, lines, transaction in
            answers.map { answer in
                let decided = gateway.decideRelayed(
                    answer.id, by: answer.answer, latencyMicroseconds: now.since(answer.since),
                    at: gateway.moment(at: transaction.real))
                lines.appendRequests(of: gateway.log)
                if gateway.hasEffects { transaction.note(gateway.takeEffects(), &lines) }
                return decided?.decision
            }
        }
    }

    /// Notes the stream limit of the upstream; returns what to do.
    func relayLimit(_ limit: Int, on connection: Int) -> [ConnectionAction] {
        let known = limit == HTTP2ClientSession.noLimit ? nil : limit
        return transact { gateway, _, _ in gateway.relay(streamLimit: known, on: connection) }
    }

    /// Notes a GOAWAY of the upstream; returns what to do.
    func relayGoAway(_ goAway: GoAway, on connection: Int) -> [ConnectionAction] {
        transact { gateway, _, _ in gateway.relay(goAway, on: connection) }
    }

    /// Notes that the upstream has closed its connection; returns what to do.
    func relayEnd(on connection: Int) -> [ConnectionAction] {
        transact { gateway, _, _ in gateway.relayEnd(on: connection) }
    }
}
