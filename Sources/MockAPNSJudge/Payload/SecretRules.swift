import MockAPNSCore

// Values that should not be readable on the way. Messages do not repeat them.
extension LintRule {
    static let secretRules = [secretValue]

    static let secretValue = LintRule(
        id: "secret-value", severity: .warning, finds: "a card number, or a key `password`, `cvv` or `pin`",
        effect: "Apple asks to leave sensitive data out, or to encrypt it.", sources: [.generating],
        check: PayloadCheck(.value) { lint in
            if let member = lint.member, member.isSecret {
                let pointer = lint.pointer
                lint.report(
                    at: pointer, member.keyOffset,
                    "\(pointer.asShownPointer) is sent in the clear; expected it left out, or encrypted")
            }
            guard let value = lint.value, let text = value.string ?? value.number?.text, text.isCardNumber
            else { return }
            let pointer = lint.pointer
            lint.report(
                at: pointer, value.offset,
                "\(pointer.asShownPointer) looks like the number of a payment card; expected it left out, or encrypted")
        })
}

extension JSONText.Member {
    /// Whether its key says that it is a secret, and it has a value.
    fileprivate var isSecret: Bool {
        guard [3, 8].contains(key.utf8.count), ["password", "cvv", "pin"].contains(key.lowercased())
        else { return false }
        return value.string.map { !$0.isEmpty } ?? (value.number != nil)
    }
}

extension String {
    /// Whether it is the number of a card: 13 to 19 digits, perhaps with single blanks or hyphens between, of which the
    /// first and their number are those of an issuer, and the last checks the others (Luhn).
    fileprivate var isCardNumber: Bool {
        guard 13...39 ~= utf8.count else { return false }
        var digits: [Int] = []
        var isAfterDigit = false
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits.append(Int(byte - UInt8(ascii: "0")))
                isAfterDigit = true
            case UInt8(ascii: " "), UInt8(ascii: "-"):
                guard isAfterDigit else { return false }
                isAfterDigit = false
            default: return false
            }
        }
        guard isAfterDigit, 13...19 ~= digits.count, Self.isOfIssuer(digits) else { return false }
        var sum = 0
        for (index, digit) in digits.reversed().enumerated() {
            let doubled = index % 2 == 0 ? digit : digit * 2
            sum += doubled > 9 ? doubled - 9 : doubled
        }
        return sum % 10 == 0
    }

    /// Whether an issuer's cards begin with these digits and have as many (ISO/IEC 7812, as the networks publish it). The
    /// last digit of an IMEI checks the others, too; it has 15 digits, and only American Express and JCB have cards of
    /// that length.
    private static func isOfIssuer(_ digits: [Int]) -> Bool {
        let beginning = digits.prefix(4).reduce(0) { $0 * 10 + $1 }
        return switch (beginning, digits.count) {
        // Visa.
        case (4000...4999, 13), (4000...4999, 16), (4000...4999, 19): true
        // Mastercard.
        case (5100...5599, 16), (2221...2720, 16): true
        // American Express, and JCB of old.
        case (3400...3499, 15), (3700...3799, 15), (2131, 15): true
        // Diners Club.
        case (3000...3059, 14), (3095, 14), (3600...3699, 14...19), (3800...3999, 14), (3800...3999, 16...19): true
        // JCB.
        case (3528...3589, 16...19): true
        // Discover, and UnionPay.
        case (6011, 16...19), (6440...6599, 16...19), (6200...6299, 16...19): true
        // Maestro.
        case (5000...5099, 16), (5600...5899, 16), (6300...6399, 16), (6700...6799, 16): true
        default: false
        }
    }
}
