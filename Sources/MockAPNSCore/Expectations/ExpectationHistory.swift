/// The expectations that have ended and still have to be judged, and how earlier parts of the run went.
struct ExpectationHistory {
    var ended: [EndedExpectations] = []
    /// Whether the current expectations were already judged once.
    var wereJudged = false
    var latestEnd: EarlyEnd?
    /// Which rules applied before.
    var rules = EarlierRules()
    /// Whether requests are kept even if nothing is expected of them.
    var keepsRequests = false
    /// How many requests and connections there were when the providers had ended; `nil` if providers may still send.
    var latestAtEnd: (request: Int, connections: Int)?
}
