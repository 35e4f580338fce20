import MockAPNSPatterns

/// Evaluates regular expressions: provides the memory, and tracks how often each was undecided. A gateway has one per
/// run, and every log query has one.
///
/// A pattern that was undecided ten times is not tried again, so that it does not reach its limit over and over. All
/// patterns tried on one request also share a limit, so that many patterns do not take many times as long.
package final class PatternContext {
    /// How often a pattern may be undecided before it is given up.
    static let undecidedLimit = 10
    /// Maximum number of steps per request: enough for eight patterns that reach their limit, or for thousands of
    /// others.
    static let budget = 8 * PatternMemory.steps
    /// Maximum number of distinct patterns tracked, unless more are in use or were undecided.
    private static let limit = 1000

    fileprivate final class Tally {
        let tried: UndecidedPattern
        let untried: UndecidedPattern
        let givenUp: UndecidedPattern
        var undecided = 0
        /// The last value and request that it was undecided for.
        var latest: (request: Int, value: [UInt8])?

        init(_ text: String) {
            tried = UndecidedPattern(text, .limit)
            untried = UndecidedPattern(text, .budget)
            givenUp = UndecidedPattern(text, .givenUp)
        }
    }

    fileprivate private(set) lazy var memory = PatternMemory()
    private var tallies: [String: Tally] = [:]
    private var events: [PatternEvent] = []

    /// Creates a context in which no pattern has been tried.
    package init() {}

    /// The sequence number of the request being tested; `nil` for anything else. A value that was undecided is not
    /// tried again for another condition on the same request.
    var request: Int? {
        didSet { if request != oldValue || request == nil { stepsLeft = Self.budget } }
    }
    /// The remaining number of steps for this request.
    fileprivate var stepsLeft = budget
    /// Whether it was reported that a request had no steps left.
    private var hasToldOfBudget = false

    /// Whether there are events to report.
    var hasEvents: Bool { !events.isEmpty }

    /// Returns the events to report, each once.
    func takeEvents() -> [PatternEvent] {
        defer { events = [] }
        return events
    }

    fileprivate func tally(of text: String) -> Tally {
        if let tally = tallies[text] { return tally }
        if tallies.count >= Self.limit { tallies = tallies.filter { $0.value.undecided > 0 } }
        let tally = Tally(text)
        tallies[text] = tally
        return tally
    }

    fileprivate func noteUndecided(_ tally: Tally, for value: Span<UInt8>) {
        tally.latest = request.map { ($0, Array(copying: value)) }
        tally.undecided += 1
        if tally.undecided == 1 { events.append(PatternEvent(tally.tried)) }
        if tally.undecided == Self.undecidedLimit { events.append(PatternEvent(tally.givenUp)) }
    }

    fileprivate func noteUntried(_ tally: Tally) {
        guard !hasToldOfBudget else { return }
        hasToldOfBudget = true
        events.append(PatternEvent(tally.untried))
    }
}

/// A regular expression prepared for testing in its context.
package final class PatternTest {
    private let pattern: Pattern
    private let context: PatternContext
    private let memory: PatternMemory
    private let tally: PatternContext.Tally

    /// Fails for an expression that does not compile.
    init?(_ text: String, in context: PatternContext) {
        guard let pattern = try? Pattern(text) else { return nil }
        self.pattern = pattern
        self.context = context
        memory = context.memory
        tally = context.tally(of: text)
    }

    /// Tests whether it matches a whole text. Anything that is not UTF-8 matches nothing.
    func test(_ text: Span<UInt8>) -> MatchResult {
        if let latest = tally.latest, latest.request == context.request, latest.value.span.equals(text) {
            return .undecided(tally.tried)
        }
        if tally.undecided >= PatternContext.undecidedLimit { return .undecided(tally.givenUp) }
        guard context.stepsLeft > 0 else {
            context.noteUntried(tally)
            return .undecided(tally.untried)
        }
        let result = pattern.match(text, in: memory)
        context.stepsLeft -= memory.latestSteps
        switch result {
        case .matches: return .yes
        case .differs: return .no
        case .undecided:
            context.noteUndecided(tally, for: text)
            return .undecided(tally.tried)
        }
    }
}

/// An event about an undecided regular expression: undecided for the first time in a run, or so often that it is given
/// up; or, once in a run, the patterns of one request together took too much work.
package struct PatternEvent: Sendable, CustomStringConvertible {
    private let undecided: UndecidedPattern

    /// The text of the pattern.
    package var pattern: String { undecided.text }

    init(_ undecided: UndecidedPattern) { self.undecided = undecided }

    /// One or two sentences for people.
    package var description: String {
        let name: Explanation = "The pattern \(quoted: pattern)"
        return switch undecided.cause {
        case .limit:
            "\(name) reached its work limit before it was decided. Rules and expectations that needed it do not hold."
        case .budget:
            "\(name) was not tried on a request, because other patterns had used up the work allowed for one request. Rules and expectations that needed it do not hold; the next request is unaffected."
        case .givenUp:
            "\(name) was undecided \(PatternContext.undecidedLimit) times and is no longer tried in this run."
        }
    }
}
