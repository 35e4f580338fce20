/// How bad it is what lint has found.
package enum LintSeverity: String, Sendable, CaseIterable, Comparable {
    /// Something worth knowing.
    case note
    /// Probably not what was meant.
    case warning
    /// APNs or the device refuses it or ignores it.
    case error

    private var rank: Int {
        switch self {
        case .note: 0
        case .warning: 1
        case .error: 2
        }
    }

    /// Returns whether one is less bad than the other.
    package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }
}
