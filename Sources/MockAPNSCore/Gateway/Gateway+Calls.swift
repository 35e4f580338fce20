/// Calls about broadcast channels. They are decided like pushes, with checks, rules and answers of their own.
extension Gateway {
    /// Makes a request a call.
    ///
    /// - Parameter bundle: the range of the bundle id in its path.
    @inline(never)
    func prepare(_ request: inout RequestContext, as path: CallPath, bundle: ByteRange) {
        request.take(ReceivedCall(path, &request, state.channels), topic: bundle)
        request.origin.serverName = connections.open[request.origin.index].facts.serverName
    }

    /// Does what a valid call asks for.
    @inline(never)
    mutating func carryOut(_ call: ReceivedCall, _ request: inout RequestContext) {
        call.answer = answer(to: call, &request)
    }

    private mutating func answer(to call: ReceivedCall, _ request: inout RequestContext) -> CallAnswer {
        let topic = String(decoding: Array(copying: request.topic), as: UTF8.self)
        // Counted by topic from now on, whether or not a device has it.
        _ = state.devices.topics.intern(pushed: request.topic)
        switch call.call {
        case .create:
            let id = ids.channelID(ofRequest: log.latestSequence + 1)
            let policy = call.policy ?? .none
            let channel = BroadcastChannel(
                id: id, topic: topic, isSandbox: request.origin.isSandbox, policy: policy,
                createdAt: request.now.clock)
            if state.channels.admits(channel) {
                record(.channel(ChannelEvent(state: .created, clock: request.now.clock, channel: channel)))
            }
            call.record.policy = policy
            call.texts.channel = id.bytes
            return CallAnswer(channelID: id.bytes)
        case .read:
            if case .known(_, let channel) = call.channel { return .configuration(of: channel) }
        case .delete:
            if case .known(let number, _) = call.channel { delete(channel: number, at: request.now.clock) }
        case .list: return .list(state.channels.channels(of: topic, isSandbox: request.origin.isSandbox))
        case .publish:
            if case .known(let number, let channel) = call.channel {
                let outcome = publish(&request, to: number, channel)
                (call.record.subscribers, call.record.delivered) = (outcome.subscribers, outcome.delivered)
                call.record.isStored = outcome.isStored
                call.texts.ignored = outcome.ignored.map { Array($0.utf8) }
            }
        case nil: break
        }
        return CallAnswer()
    }
}
