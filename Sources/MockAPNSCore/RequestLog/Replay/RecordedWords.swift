/// The values that members of a log line may have, by the words they are written as.
enum RecordedWords {
    static let outcomes = Outcome.allCases.map { ($0.name, $0) }
    static let deliveries = Delivery.allCases.map { ($0.name, $0) }
    static let deciders = DecidedBy.allCases.map { ($0.name, $0) }
    static let calls = BroadcastCall.allCases.map { ($0.name, $0) }
    static let reasons = Reason.allCases.map { ($0.name, $0) }
    static let senders = Sender.allCases.map { ($0.name, $0) }
    static let methods = AuthenticationMethod.allCases.map { ($0.name, $0) }
    static let verdicts = [("valid", Verdict.valid)] + Reason.allCases.map { ($0.name, Verdict.refused($0)) }
    static let signatures = [("raw", ProviderToken.SignatureForm.raw), ("der", .der)]
}
