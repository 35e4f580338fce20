extension ValueMatcher {
    /// The same matcher with its texts in lower case, for values that are compared that way.
    package var lowercased: Self {
        switch self {
        case .text(let text): .text(text.map(\.lowercased))
        case .prefix(let text): .prefix(text.map(\.lowercased))
        case .contains(let text): .contains(text.map(\.lowercased))
        case .anyOf(let matchers): .anyOf(matchers.map(\.lowercased))
        case .not(let matcher): .not(matcher.lowercased)
        default: self
        }
    }
}
