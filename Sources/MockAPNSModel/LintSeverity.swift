extension MockAPNSWords {
    /// How bad a finding of lint is.
    public enum LintSeverity: String, MockAPNSWord, Comparable {
        /// Something worth knowing.
        case note
        /// Probably a mistake.
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

        /// Returns whether the first one is less bad.
        public static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }
    }
}
