/// Returns the word in a list that a misspelled or shortened word was probably meant to be, for error messages.
///
/// Case is ignored, and so is an extension that both words have, as in `rules.json`.
///
/// - Returns: the word with the smallest edit distance (insert, remove, replace or swap a character), if that is at most
///   a third of the shorter word's length, or one; the first among several. Otherwise the only word that begins with it,
///   or with which it begins.
package func nearestWord(to word: String, among words: some Sequence<String>) -> String? {
    let wanted = Array(word.lowercased().unicodeScalars.prefix(100))
    var best: (word: String, distance: Int)?
    var prefixed: [String] = []
    for candidate in words {
        let letters = Array(candidate.lowercased().unicodeScalars)
        let ending = commonExtension(wanted, letters)
        let (one, other) = (wanted.dropLast(ending), letters.dropLast(ending))
        if isPrefix(one, of: other) { prefixed.append(candidate) }
        let shorter = min(one.count, other.count)
        // Words of one letter have nothing in common with each other.
        guard shorter > 1, max(one.count, other.count) - shorter <= max(1, shorter / 3) else { continue }
        let distance = editDistance(Array(one), Array(other))
        if distance <= max(1, shorter / 3), distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.word ?? (prefixed.count == 1 ? prefixed[0] : nil)
}

/// Returns whether the first word is a shortened form of the second, or continues it.
private func isPrefix(_ one: ArraySlice<Unicode.Scalar>, of other: ArraySlice<Unicode.Scalar>) -> Bool {
    let shortest = 3
    if one.count <= other.count { return one.count >= shortest && other.starts(with: one) }
    // A short word begins many long ones by chance: "notification" is not meant to be "not".
    return other.count >= shortest && other.count * 2 >= one.count && one.starts(with: other)
}

/// Returns the number of letters in the extension that two words have in common, with its dot; 0 if there is none.
private func commonExtension(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    guard let dot = one.lastIndex(of: "."), dot > 0, other.count > one.count - dot else { return 0 }
    let ending = one[dot...]
    return other.suffix(ending.count).elementsEqual(ending) ? ending.count : 0
}

/// Returns the edit distance of two words, with a swap of neighbors counting as one edit (optimal string alignment).
package func editDistance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
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
