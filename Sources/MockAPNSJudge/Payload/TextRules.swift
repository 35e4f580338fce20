import MockAPNSCore

// Texts and numbers that are JSON, and that readers understand differently.
extension LintRule {
    static let textRules = [unpairedSurrogate, replacementCharacter, numberOutOfRange]

    static let unpairedSurrogate = LintRule(
        id: "unpaired-surrogate", severity: .warning, finds: "an escape that is half of a surrogate pair",
        effect: "Strict readers of JSON refuse the payload; others put U+FFFD in its place.", sources: [.unicodeInJSON],
        check: PayloadCheck(.value) { lint in
            lint.checkDamage { damage, offset, pointer, lint in
                guard let half = damage.half else { return }
                lint.report(
                    at: pointer, offset,
                    "\(pointer.asShownPointer) has \\u\(half), half of a surrogate pair; expected both halves, or the "
                        + "character itself in UTF-8")
            }
        })

    static let replacementCharacter = LintRule(
        id: "replacement-character", severity: .warning, finds: "a text with U+FFFD, the replacement character",
        effect: "It is shown as a question mark; the text was probably cut inside a character, or read in the wrong "
            + "encoding.", sources: [.judgement],
        check: PayloadCheck(.value) { lint in
            lint.checkDamage { damage, offset, pointer, lint in
                guard damage.hasReplacement else { return }
                lint.report(
                    at: pointer, offset,
                    "\(pointer.asShownPointer) has U+FFFD, which stands for a character that was lost; expected the "
                        + "character itself")
            }
        })

    static let numberOutOfRange = LintRule(
        id: "number-out-of-range", severity: .warning,
        finds: "a number beyond the range of a 64-bit floating-point number",
        effect: "Readers of JSON refuse it, or take it for infinity.", sources: [.numbersInJSON],
        check: PayloadCheck(.value) { lint in
            // No `Double` holds it; only an exponent or hundreds of digits make one.
            guard let value = lint.value, let number = value.number, number.isOutOfRange else { return }
            lint.report(at: lint.pointer, value, expected: "one up to about 1.8e308")
        })
}

extension PayloadLint {
    /// The damage to a text: the digits of an escape that is half of a surrogate pair, and whether the text itself has
    /// U+FFFD.
    fileprivate typealias Damage = (half: String?, hasReplacement: Bool)

    /// Looks for a key and a text that have U+FFFD, or get it because half of a surrogate pair is missing.
    ///
    /// - Parameter report: called with the damage, its offset and pointer.
    fileprivate mutating func checkDamage(_ report: (Damage, Int, String, inout PayloadLint) -> Void) {
        guard mayBeDamaged else { return }
        if let member, member.key.hasReplacement {
            report(push.body.span.damage(inStringAt: member.keyOffset), member.keyOffset, pointer, &self)
        }
        if let value, let text = value.string, text.hasReplacement {
            report(push.body.span.damage(inStringAt: value.offset), value.offset, pointer, &self)
        }
    }
}

extension String {
    fileprivate var hasReplacement: Bool { utf8.contains(0xEF) && unicodeScalars.contains("\u{FFFD}") }
}

extension Span<UInt8> {
    /// Returns what is damaged in the JSON string whose quotation mark is at `start`: the digits of an escape that is half
    /// of a surrogate pair, and whether the text itself has U+FFFD.
    fileprivate func damage(inStringAt start: Int) -> PayloadLint.Damage {
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
