import Testing

@testable import MockAPNSPatterns

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// What a match costs at most. Sanitizers and other programs have to be left out of it, so the thread's own time is measured.
@Suite("The time of a match is bounded")
struct HostilePatternTests {
    /// Five milliseconds on an ordinary machine. Where the steps of an ordinary match take longer, because the machine or the
    /// build is slow, so may all others.
    private static let limit = max(.milliseconds(5), ordinary * 5)

    /// The time of a match that simply uses up its steps.
    private static let ordinary: Duration = {
        guard let pattern = try? Pattern("(.|.)*x") else { return .zero }
        let (memory, value) = (PatternMemory(), Array(String(repeating: "a", count: 5000).utf8))
        return time(shorterThan: .zero) { _ = pattern.match(value.span, in: memory) }
    }()

    private static func threadTime() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The time of something; the shortest of ten, if need be, because a machine that is busy takes longer for the same.
    private static func time(shorterThan enough: Duration = limit, _ body: () throws -> Void) rethrows -> Duration {
        var shortest = Duration.seconds(1000)
        for _ in 0..<10 where shortest > enough {
            let start = threadTime()
            try body()
            shortest = min(shortest, threadTime() - start)
        }
        return shortest
    }

    @Test("Whatever the pattern and the value of 5 KB")
    func aHostileMatchTakesAtMostFiveMilliseconds() throws {
        let memory = PatternMemory()
        for text in HostilePatterns.all {
            let pattern = try Pattern(text)
            let compiling = try Self.time { _ = try Pattern(text) }
            #expect(compiling < Self.limit, "\(text.prefix(60)) takes \(compiling) to compile")
            for value in HostilePatterns.values {
                let bytes = Array(value.utf8)
                let time = Self.time { _ = pattern.match(bytes.span, in: memory) }
                #expect(time <= Self.limit, "\(text.prefix(60)) takes \(time) for \(value.prefix(4))…")
            }
        }
    }

    @Test("Patterns put together at random, too", arguments: [1, UInt64.random(in: 0...1_000_000)])
    func aRandomMatchTakesAtMostFiveMilliseconds(seed: UInt64) {
        let memory = PatternMemory()
        var patterns = RandomPatterns(seed: seed)
        let values = HostilePatterns.values.map { Array($0.utf8) }
        var compiled = 0
        for _ in 0..<10_000 {
            let text = patterns.next()
            let value = values[patterns.number(below: values.count)]
            guard let pattern = try? Pattern(text) else { continue }
            compiled += 1
            let time = Self.time { _ = pattern.match(value.span, in: memory) }
            #expect(
                time <= Self.limit, "\(text) takes \(time) for \(String(decoding: value.prefix(8), as: UTF8.self))…")
        }
        #expect(compiled > 500)
    }

    @Test("A pattern cannot raise its own limits")
    func verbsRaiseNothing() throws {
        let value = Array(String(repeating: "a", count: 5000).utf8)
        let memory = PatternMemory()
        for limits in ["", "(*LIMIT_MATCH=4000000000)(*LIMIT_HEAP=4000000000)(*LIMIT_DEPTH=4000000000)"] {
            #expect(try Pattern(limits + "(.|.)*x").match(value.span, in: memory) == .undecided)
        }
        // They can be lowered.
        #expect(try Pattern("(*LIMIT_MATCH=10).*.*x?").match(value.span, in: memory) == .matches)
        #expect(try Pattern("(*LIMIT_MATCH=10).*a.*a.*a{4000}").match(value.span, in: memory) == .undecided)
    }
}
