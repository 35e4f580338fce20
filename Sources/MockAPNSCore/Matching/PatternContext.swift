import MockAPNSPatterns

/// Where regular expressions are tried: the memory for it, and how often each was undecided. A gateway has one for each of
/// its runs, and every question to the log has one.
///
/// A pattern that was undecided ten times is not tried any more, so that one does not cost its limit again and again. All
/// that are tried on one request have a limit together, too, so that many do not take many times as long.
final class PatternContext {
    /// How often a pattern may be undecided.
    static let patience = 10
    /// Steps that one request may cost: enough for eight patterns that reach their limit, or for thousands of others.
    static let budget = 8 * PatternMemory.steps
    /// How many different patterns are told apart, unless more of them are in use or were undecided.
    private static let limit = 1000

    fileprivate final class Tally {
        let tried: UndecidedPattern
        let untried: UndecidedPattern
        let givenUp: UndecidedPattern
        var undecided = 0
        /// What it was undecided for at last, and in which request.
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

    /// The number of the request that is asked about; `nil` for something else. A value that was undecided is not tried
    /// again for another condition on the same request.
    var request: Int? {
        didSet { if request != oldValue || request == nil { stepsLeft = Self.budget } }
    }
    /// Steps that this request may still cost.
    fileprivate var stepsLeft = budget
    /// Whether it was told that a request had none left.
    private var hasToldOfBudget = false

    /// Whether there is something to be told.
    var hasEvents: Bool { !events.isEmpty }

    /// What is to be told of patterns, each time once.
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
        if tally.undecided == Self.patience { events.append(PatternEvent(tally.givenUp)) }
    }

    fileprivate func noteUntried(_ tally: Tally) {
        guard !hasToldOfBudget else { return }
        hasToldOfBudget = true
        events.append(PatternEvent(tally.untried))
    }
}

/// A regular expression, ready to be asked in its context.
final class PatternTest {
    private let pattern: Pattern
    private let context: PatternContext
    private let memory: PatternMemory
    private let tally: PatternContext.Tally

    /// `nil` for one that does not compile.
    init?(_ text: String, in context: PatternContext) {
        guard let pattern = try? Pattern(text) else { return nil }
        self.pattern = pattern
        self.context = context
        memory = context.memory
        tally = context.tally(of: text)
    }

    /// Whether it matches the whole of a text. What is no UTF-8 is no text, and matches nothing.
    func test(_ text: Span<UInt8>) -> Truth {
        if tally.undecided > 0 {
            if let latest = tally.latest, latest.request == context.request, latest.value.span.equals(text) {
                return .undecided(tally.tried)
            }
            if tally.undecided >= PatternContext.patience { return .undecided(tally.givenUp) }
        }
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

/// A regular expression was undecided, for the first time in a run or so often that it is given up; or, once in a run, the
/// patterns of one request took too much work together.
package struct PatternEvent: Sendable, CustomStringConvertible {
    private let undecided: UndecidedPattern

    /// The text of the pattern.
    package var pattern: String { undecided.text }
    /// Whether it is not tried any more in this run.
    package var isGivenUp: Bool { undecided.cause == .givenUp }

    init(_ undecided: UndecidedPattern) { self.undecided = undecided }

    /// One or two sentences for people.
    package var description: String {
        let name: Explanation = "The pattern \(quoted: pattern)"
        return switch undecided.cause {
        case .limit:
            "\(name) reached the limit of its work before it was decided. Rules and expectations that needed it do not hold."
        case .budget:
            "\(name) was not tried on a request, because other patterns had taken all the work that one request may cost. Rules and expectations that needed it do not hold; the next request is looked at anew."
        case .givenUp:
            "\(name) was undecided \(PatternContext.patience) times and is not tried any more in this run."
        }
    }
}
