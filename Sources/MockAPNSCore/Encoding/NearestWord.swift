/// Returns the word in a list that a misspelled word was probably meant to be, for error messages.
///
/// - Returns: the word with the smallest edit distance (insert, remove, replace or swap a character, ignoring case), if
///   that is at most a third of the longer word's length, or one; the first among several.
package func nearestWord(to word: String, among words: some Sequence<String>) -> String? {
    let wanted = Array(word.lowercased().unicodeScalars.prefix(100))
    var best: (word: String, distance: Int)?
    for candidate in words {
        let letters = Array(candidate.lowercased().unicodeScalars)
        let distance = editDistance(wanted, letters)
        guard distance <= max(1, max(letters.count, wanted.count) / 3), distance < best?.distance ?? .max else {
            continue
        }
        best = (candidate, distance)
    }
    return best?.word
}

/// Returns the edit distance of two words, with a swap of neighbors counting as one edit (optimal string alignment).
func editDistance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    var before = [Int]()
    var previous = Array(0...other.count)
    for row in 0..<one.count {
        var current = [row + 1]
        for column in 0..<other.count {
            var cost = min(previous[column + 1], current[column]) + 1
            cost = min(cost, previous[column] + (one[row] == other[column] ? 0 : 1))
            if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                cost = min(cost, before[column - 1] + 1)
            }
            current.append(cost)
        }
        before = previous
        previous = current
    }
    return previous[other.count]
}
