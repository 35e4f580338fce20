// Texts and numbers that are JSON, and that readers understand differently.
extension PayloadLint {
    /// A text or a key that has U+FFFD, or gets it because half of a surrogate pair is missing.
    mutating func checkDamage(_ text: String, at offset: Int, _ path: [String]) {
        // All that follows is rare.
        guard text.utf8.contains(0xEF), text.unicodeScalars.contains("\u{FFFD}") else { return }
        let pointer = JSONPointer(path).description
        let damage = push.body.span.damage(inStringAt: offset)
        if let half = damage.half {
            report(
                .unpairedSurrogate, at: pointer, offset,
                "\(pointer.asShownPointer) has \\u\(half), half of a surrogate pair; expected both halves, or the "
                    + "character itself in UTF-8")
        }
        if damage.hasReplacement {
            report(
                .replacementCharacter, at: pointer, offset,
                "\(pointer.asShownPointer) has U+FFFD, which stands for a character that was lost; expected the "
                    + "character itself")
        }
    }

    /// A number that no `Double` holds; only an exponent or hundreds of digits make one.
    mutating func checkRange(of number: JSONText.Number, _ value: JSONText.Value, _ path: [String]) {
        guard number.isOutOfRange else { return }
        let pointer = JSONPointer(path).description
        report(
            .numberOutOfRange, at: pointer, value.offset,
            "\(pointer.asShownPointer) is \(value.asFound); expected one up to about 1.8e308")
    }
}

extension Span<UInt8> {
    /// Returns what is damaged in the JSON string whose quotation mark is at `start`: the digits of an escape that is half
    /// of a surrogate pair, and whether the text itself has U+FFFD.
    fileprivate func damage(inStringAt start: Int) -> (half: String?, hasReplacement: Bool) {
        var (half, hasReplacement) = (String?.none, false)
        var index = start + 1
        while index < count, self[index] != UInt8(ascii: "\"") {
            if self[index] == UInt8(ascii: "\\") {
                switch surrogate(at: index) {
                case .none:
                    if let code = codeUnit(at: index), code == 0xFFFD { hasReplacement = true }
                    index += 2
                case .pair: index += 12
                case .half(let code):
                    half = half ?? String(code, radix: 16)
                    index += 6
                }
            } else {
                if self[index] == 0xEF, index + 2 < count, self[index + 1] == 0xBF, self[index + 2] == 0xBD {
                    hasReplacement = true
                }
                index += 1
            }
        }
        return (half, hasReplacement)
    }
}
