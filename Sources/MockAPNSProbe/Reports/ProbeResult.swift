package import MockAPNSCore

/// The result of a probe.
package struct ProbeResult: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        /// The server answers as expected.
        case agrees
        /// It answers otherwise.
        case differs
        /// It answers otherwise than a guess.
        case note
        /// The probe was left out.
        case skipped
    }

    package var probe: Probe
    package var outcome: Outcome
    /// Why it was left out.
    package var reason: String?
    /// An answer for each step, `nil` for those that have none.
    package var answers: [JSONText.Value?]
    /// The expected answer of the first step that differs, for people; `nil` if none does.
    package var expected: String?
    /// The answer of the first step that differs.
    package var found: JSONText.Value?
    package var milliseconds: Int64 = 0

    /// Creates the result of a probe that was left out.
    init(_ probe: Probe, skipped reason: String) {
        self.probe = probe
        outcome = .skipped
        self.reason = reason
        answers = []
    }

    /// Judges the answers by the probe's expectations, or by answers of another run.
    init(_ probe: Probe, answers: [JSONText.Value?], comparedWith earlier: EarlierAnswers?) {
        self.probe = probe
        self.answers = answers
        outcome = .agrees
        if let earlier {
            guard let others = earlier[probe.path] else {
                outcome = .skipped
                reason = "the earlier run has no answer to it"
                return
            }
            for (index, answer) in answers.enumerated() {
                let other = others.indices.contains(index) ? others[index] : .null
                if (answer ?? .null).means(other) { continue }
                differ(from: AnswerTemplate.text(other), answer)
                outcome = .differs
                return
            }
            return
        }
        for (step, answer) in zip(probe.steps, answers) where !step.expected.isEmpty {
            if step.expected.contains(where: { AnswerTemplate.fits(answer, $0) }) { continue }
            differ(from: AnswerTemplate.text(step.expected), answer)
            outcome = probe.fact.mark == .guessed ? .note : .differs
            return
        }
    }

    private mutating func differ(from expected: String, _ answer: JSONText.Value?) {
        self.expected = expected
        found = answer
    }

    /// The expected answers of all steps, for people.
    package var expectation: String {
        expected
            ?? probe.steps.filter { !$0.expected.isEmpty }.map { AnswerTemplate.text($0.expected) }
            .joined(separator: "; then ")
    }

    /// The server's answers, for people: the one that differs, if any does.
    package var answer: String {
        if let found { return AnswerTemplate.text(found) }
        return zip(probe.steps, answers).compactMap { step, answer in
            answer.map { AnswerTemplate.summary($0, step.expected) }
        }.joined(separator: "; then ")
    }
}

/// The answers of an earlier run, from the file of `--json`.
package struct EarlierAnswers: Sendable {
    private var answers: [String: [JSONText.Value]] = [:]

    /// Reads a file of `--json`.
    package init(_ text: [UInt8]) throws(JSONText.Mistake) {
        let root = try JSONText.read(text)
        guard let probes = root["probes"]?.array else { throw root.mistake("expected an object with \"probes\"") }
        for probe in probes {
            guard let group = probe["group"]?.string, let name = probe["name"]?.string else {
                throw probe.mistake("expected an object with \"group\" and \"name\"")
            }
            if let list = probe["answers"]?.array, !list.isEmpty { answers["\(group)/\(name)"] = list }
        }
    }

    /// The answers to a probe; `nil` if it was not run.
    subscript(path: String) -> [JSONText.Value]? { answers[path] }
}
