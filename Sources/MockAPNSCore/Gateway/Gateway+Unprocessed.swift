/// Requests that APNs does not process: the transport has already handled them, or the connection accepts no more.
extension Gateway {
    /// Records a request that is not processed, and decides what happens to its stream.
    mutating func recordUnprocessed(_ request: inout RequestContext) -> Decision {
        var record = RequestRecord(&request)
        var decision = Decision(answer: nil, streamLimit: nil)
        record.decidedBy = .connection
        if connections.open[request.origin.index].facts.clientCertificate != nil {
            record.authentication = .certificate
        } else if request.facts.providerToken != nil {
            record.authentication = .token
        }
        let stream = request.facts.streamID
        var explanation: Explanation?
        if let fault = request.facts.fault {
            explanation = describe(fault, of: request.facts, &record)
        } else {
            switch connections.open[request.origin.index].life.fate(of: stream) {
            case .ignored:
                record.outcome = .ignored
                let why = connections.open[request.origin.index].life.explanation.map { " \($0)" } ?? ""
                explanation =
                    """
                    Stream \(stream) is above the last stream of a GOAWAY sent before; it was not processed and may be \
                    retried on another connection.\(why)
                    """
            case .tooLate:
                record.outcome = .closed
                explanation =
                    """
                    Stream \(stream) arrived when the connection was about to end; it was not processed and may be \
                    retried on another connection.
                    """
            case .refused, .processed:
                record.outcome = .reset
                record.resetCode = ErrorCode.refusedStream.code
                decision.actions = [.resetStream([ErrorCode.refusedStream.code, ErrorCode.streamClosed.code])]
                explanation =
                    """
                    Stream \(stream) came after an expired provider token, which has made the connection \
                    useless; it was reset with REFUSED_STREAM. Open a new connection with a fresh token.
                    """
            }
        }
        // Only noted: the topic of a call that is not processed is not resolved.
        if case .call(let path, _) = request.push.path { request.call = ReceivedCall(path, &request, state.channels) }
        self.record(&record, of: &request, explanation)
        return decision
    }

    private func describe(
        _ fault: RequestFacts.Fault, of request: RequestFacts, _ record: inout RequestRecord
    ) -> Explanation? {
        switch fault {
        case .headerListTooLarge:
            record.outcome = .responded
            record.status = 431
            return """
                The header fields have \(request.headerListSize) bytes, counting 32 more for each field; \
                MAX_HEADER_LIST_SIZE allows \(configuration.connection.maxHeaderListSize).
                """
        case .refused:
            record.outcome = .reset
            record.resetCode = ErrorCode.refusedStream.code
            return """
                Stream \(request.streamID) would be number \(request.inFlight) of the streams open at a time, more \
                than MAX_CONCURRENT_STREAMS allows now; it was reset with REFUSED_STREAM and may be retried.
                """
        case .malformed(let what):
            record.outcome = .reset
            return "Stream \(request.streamID) is not valid HTTP/2; the transport says \(quoted: what)."
        case .cancelled:
            record.outcome = .cancelled
            return nil
        case .broken(let what):
            record.outcome = .closed
            return "Stream \(request.streamID) was not complete when the connection was ended. \(what)"
        }
    }
}
