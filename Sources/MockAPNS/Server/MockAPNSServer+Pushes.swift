import MockAPNSCore
package import MockAPNSScenario
import NIOCore

// Pushes that the server sends to itself, so that users without a provider can see how APNs would answer.

extension MockAPNSServer {
    /// Decides about a push of the admin API with the default identity, as for a push of a provider.
    ///
    /// - Returns: the sequence number of its record.
    /// - Throws: ``ControlError/unknown(_:)`` if no device or channel has the name; ``StartError`` if the server has no private
    ///   key to sign with.
    package func push(_ push: AdminPush) async throws -> Int {
        let address = try address(of: push)
        let (request, bytes) = try request(for: push, to: address)
        let (sequence, waiting) = try engine.decideFromAdmin(request, bytes, isSandbox: address.isSandbox)
        guard !waiting.isEmpty else { return sequence }
        return await withCheckedContinuation { engine.submit(waiting, arrived: .now(), $0) }
    }

    private func request(
        for push: AdminPush, to address: AdminPush.Address
    ) throws -> (ParsedRequest, bytes: [UInt8]) {
        let authorization = push.namesAuthorization ? "" : "bearer " + (try engine.adminToken())
        let (bytes, headerLength) = push.bytes(to: address, authorization: authorization)
        var request = ParsedRequest(
            RequestFacts(streamID: 0, headerLength: headerLength, bodyLength: push.body.count, inFlight: 1),
            bytes: bytes.span)
        if let range = request.push.authorization {
            request.facts.providerToken = engine.providerToken(bytes.span.extracting(range.range))
        }
        return (request, bytes)
    }

    /// Repeats a push at its interval. The repetition ends with a reset, another scenario, or when the server stops.
    ///
    /// - Returns: the sequence numbers of those decided immediately: all of them if there is no interval.
    /// - Throws: like ``push(_:)``, and ``ControlError/taken(_:)`` if as many repetitions are in progress as there may be.
    package func pushRepeatedly(_ push: AdminPush) async throws -> [Int] {
        let count = push.repetitions ?? 1
        guard push.every > 0 else {
            var sequences: [Int] = []
            for _ in 0..<count { sequences.append(try await self.push(push)) }
            return sequences
        }
        guard let place = repeatedPushes.reserve() else {
            throw ControlError.taken(
                "\(RepeatedPushes.limit) repeated pushes are being sent, which is the maximum; wait until one has ended, or end all of them with \(APICall.reset)."
            )
        }
        let first: Int
        do { first = try await self.push(push) } catch {
            repeatedPushes.giveUp(place)
            throw error
        }
        repeatedPushes.start(place) { [weak self] in
            for _ in 1..<count {
                guard (try? await Task.sleep(for: .milliseconds(push.every))) != nil, let self,
                    (try? await self.push(push)) != nil
                else { return }
            }
        }
        return [first]
    }

    /// Returns the recipient's address; its topic is the device's first, else that of the default identity.
    private func address(of push: AdminPush) throws(ControlError) -> AdminPush.Address {
        switch push.recipient {
        case .token(let token): return .device(token: token, topic: identity.topic)
        case .device(let name):
            guard let view = view(of: name) else { throw Self.unknownDevice(name) }
            return .device(token: view.token.text, topic: view.topics.first ?? identity.topic)
        case .channel(let nameOrID):
            guard let channel = channel(nameOrID) else { throw Self.unknownChannel(nameOrID) }
            return .channel(id: channel.id, topic: channel.topic, isSandbox: channel.isSandbox)
        }
    }
}

extension Engine {
    /// - Returns: the sequence number of its record, unless it waits for the order of a fleet.
    /// - Throws: `CancellationError` if its task is canceled: a reset has ended it, and its push belongs to no later run.
    fileprivate func decideFromAdmin(
        _ request: ParsedRequest, _ bytes: [UInt8], isSandbox: Bool?
    ) throws(CancellationError) -> (sequence: Int, waiting: [OrderedPush]) {
        let decided = transact { gateway, lines, transaction -> (sequence: Int, waiting: [OrderedPush])? in
            // Asked under the lock, under which a reset cancels.
            guard !Task.isCancelled else { return nil }
            let now = gateway.moment(at: transaction.real)
            gateway.receiveFromAdmin(request, bytes: bytes.span, isSandbox: isSandbox, at: now)
            lines.appendRequests(of: gateway.log)
            return (gateway.log.latestSequence, gateway.takePostponed())
        }
        guard let decided else { throw CancellationError() }
        return decided
    }
}
