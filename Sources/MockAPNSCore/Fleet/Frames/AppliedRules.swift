/// The rules that have applied on a replica since its scenario began. A frame has them if it answers a mark or is the
/// last, because they matter only to a verdict.
package struct AppliedRules: Sendable, Hashable {
    private static let countLimit = 1 << 20

    /// The digest of the replica's scenario.
    var scenario: UInt64
    /// Their names.
    var names: [String] = []

    func append(to output: inout [UInt8]) {
        output.appendWord(scenario)
        output.appendNumber(names.count)
        for name in names { output.appendText(name) }
    }

    init(scenario: UInt64, names: [String]) { (self.scenario, self.names) = (scenario, names) }

    init(_ input: inout FrameInput) throws(FrameMistake) {
        scenario = try input.word()
        let count: Int = try input.number(atMost: Self.countLimit)
        for _ in 0..<count { names.append(try input.textIfAny() ?? "") }
    }
}

/// The applications of rules that replicas have reported.
struct CollectedRules: Sendable {
    /// Whether a replica plays another scenario, so that it is not known which rules of the collector's have applied.
    private(set) var areUnknown = false

    /// Notes what a replica says.
    ///
    /// - Returns: whether it is about the rules of this scenario.
    mutating func note(_ rules: AppliedRules, of scenario: Scenario) -> Bool {
        guard rules.scenario != scenario.digest else { return true }
        areUnknown = true
        return false
    }
}
