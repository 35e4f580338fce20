import MockAPNSPatterns

/// Where regular expressions are tried: the memory for it, and how often each was undecided. A gateway has one for each of
/// its runs, and every question to the log has one.
///
/// A pattern that was undecided ten times is not tried any more, so that one does not cost its limit again and again.
final class PatternContext {
    /// How often a pattern may be undecided.
    static let patience = 10
    /// How many different patterns are told apart, unless more of them are in use or were undecided.
    private static let limit = 1000

    fileprivate final class Tally {
        let tried: UndecidedPattern
        let givenUp: UndecidedPattern
        var undecided = 0
        /// What it was undecided for at last, and in which request.
        var latest: (request: Int, value: [UInt8])?

        init(_ text: String) {
            tried = UndecidedPattern(text, isGivenUp: false)
            givenUp = UndecidedPattern(text, isGivenUp: true)
        }
    }

    fileprivate private(set) lazy var memory = PatternMemory()
    private var tallies: [String: Tally] = [:]
    private var events: [PatternEvent] = []

    /// The number of the request that is asked about; `nil` for something else. A value that was undecided is not tried
    /// again for another condition on the same request.
    var request: Int?

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
        if tally.undecided == 1 { events.append(PatternEvent(pattern: tally.tried.text, isGivenUp: false)) }
        if tally.undecided == Self.patience { events.append(PatternEvent(pattern: tally.tried.text, isGivenUp: true)) }
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
        switch pattern.match(text, in: memory) {
        case .matches: return .yes
        case .differs: return .no
        case .undecided:
            context.noteUndecided(tally, for: text)
            return .undecided(tally.tried)
        }
    }
}

/// A regular expression was undecided, for the first time in a run or so often that it is given up.
public struct PatternEvent: Sendable, CustomStringConvertible {
    /// The text of the pattern.
    public let pattern: String
    /// Whether it is not tried any more in this run.
    public let isGivenUp: Bool

    /// One or two sentences for people.
    public var description: String {
        let name: Explanation = "The pattern \(quoted: pattern)"
        if isGivenUp {
            return "\(name) was undecided \(PatternContext.patience) times and is not tried any more in this run."
        }
        return
            "\(name) reached the limit of its work before it was decided. Rules and expectations that needed it do not hold."
    }
}
