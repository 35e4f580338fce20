/// The rules that have applied on a replica since its scenario began. A frame has them if it answers a mark or is the
/// last, because they matter only to a verdict.
package struct AppliedRules: Sendable, Hashable {
    private static let countLimit = 1 << 20

    /// The digest of the replica's scenario; 0 if it has none, or if it is not known.
    var scenario: UInt64 = 0
    /// Their names.
    var names: [String] = []
    /// Whether rules for connections and PING frames are left out, because a log does not tell of them.
    var lacksConnections = false

    func append(to output: inout [UInt8]) {
        output.appendWord(scenario)
        output.append(lacksConnections ? 1 : 0)
        output.appendNumber(names.count)
        for name in names { output.appendText(name) }
    }

    init(scenario: UInt64 = 0, names: [String] = [], lacksConnections: Bool = false) {
        (self.scenario, self.names, self.lacksConnections) = (scenario, names, lacksConnections)
    }

    init(_ input: inout FrameInput) throws(ReplicaFrame.Mistake) {
        scenario = try input.word()
        lacksConnections = try input.flag()
        let count: Int = try input.number(atMost: Self.countLimit)
        for _ in 0..<count { names.append(try input.textIfAny() ?? "") }
    }
}

/// What the replicas of a collector have reported about rules that applied.
struct CollectedRules: Sendable {
    /// Whether a replica plays another scenario, so that its rules are not those of the collector.
    private var isOfAnother = false
    /// Whether a replica has not reported about rules for connections and PING frames.
    private var lacksConnections = false

    /// Notes what a replica says.
    ///
    /// - Returns: whether it is about the rules of this scenario.
    mutating func note(_ rules: AppliedRules, of scenario: Scenario) -> Bool {
        if rules.lacksConnections { lacksConnections = true }
        let isOfAnother = rules.scenario != 0 && rules.scenario != scenario.digest
        if isOfAnother { self.isOfAnother = true }
        return !isOfAnother
    }

    /// Returns whether a rule with this trigger may have applied although no replica has reported it.
    func mayHaveApplied(_ trigger: Rule.Trigger) -> Bool { isOfAnother || lacksConnections && !trigger.isRequest }
}
