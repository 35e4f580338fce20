// Values that should not be readable on the way. Messages do not repeat them.
extension PayloadLint {
    mutating func checkSecretKey(_ member: JSONText.Member, _ path: [String]) {
        guard [3, 8].contains(member.key.utf8.count), ["password", "cvv", "pin"].contains(member.key.lowercased())
        else { return }
        let isFilled = member.value.string.map { !$0.isEmpty } ?? (member.value.number != nil)
        guard isFilled else { return }
        let pointer = JSONPointer(path).description
        report(.secretValue, at: pointer, member.keyOffset, "\(pointer.cut(at: 80)) is sent in the clear")
    }

    mutating func checkCardNumber(_ text: String, _ value: JSONText.Value, _ path: [String]) {
        guard 13...39 ~= text.utf8.count, text.isCardNumber else { return }
        let pointer = JSONPointer(path).description
        report(
            .secretValue, at: pointer, value.offset, "\(pointer.cut(at: 80)) looks like the number of a payment card")
    }
}

extension String {
    /// Whether it is the number of a card: 13 to 19 digits, perhaps with single blanks or hyphens between, of which the
    /// first is one that issuers have, and the last checks the others (Luhn).
    fileprivate var isCardNumber: Bool {
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
        guard isAfterDigit, 13...19 ~= digits.count, 2...6 ~= digits[0] else { return false }
        var sum = 0
        for (index, digit) in digits.reversed().enumerated() {
            let doubled = index % 2 == 0 ? digit : digit * 2
            sum += doubled > 9 ? doubled - 9 : doubled
        }
        return sum % 10 == 0
    }
}
