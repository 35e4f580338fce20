package import MockAPNSCore

extension EndedExpectations {
    /// Judges them.
    package func verify() -> [ExpectationResult] {
        // Rules are judged at the end of the run.
        var input = input
        input.unusedRules = UnusedRules()
        return input.verify().results.map { result in
            var result = result
            result.end = end
            if areUnjudged {
                result.passed = false
                result.seen = "no request arrived before it was dropped, so it was never judged"
                result.nearMisses = []
            }
            return result
        }
    }

    /// Lints the requests that they cover.
    package func lint() -> LintVerdict {
        var verdict = LintVerdict()
        verdict.add(input.linting().finish(), in: input, end: end)
        return verdict
    }
}
