/// Returns a number with its noun: `1 request`, `2 requests`.
package func counted(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
}

/// Returns a number with its noun and verb: `1 gap is`, `2 gaps are`.
package func countedBe(_ count: Int, _ singular: String) -> String {
    "\(counted(count, singular)) \(count == 1 ? "is" : "are")"
}

/// Returns a list in words: `a, b and c`.
package func list(_ words: [String], _ conjunction: String) -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "nothing" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
}

/// Returns the numbers between two bounds in words: `2 to 4`, `at least 1`.
package func rangeWords(_ least: String?, _ most: String?) -> String {
    switch (least, most) {
    case (let least?, let most?): "\(least) to \(most)"
    case (let least?, nil): "at least \(least)"
    case (nil, let most?): "at most \(most)"
    case (nil, nil): "any number of"
    }
}
