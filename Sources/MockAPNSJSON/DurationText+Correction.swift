extension DurationText {
    /// The duration that an invalid text was probably meant to be, for error messages.
    package struct Correction: Sendable, Hashable {
        /// The duration to write instead.
        package var text: String
        /// Its difference from the text: `without the blank`.
        package var difference: String
        /// Whether it is only an example, because the unit is not known.
        package var isExample = false
    }

    /// Units as people write them elsewhere, in lowercase, with their milliseconds.
    private static let otherUnits: [(names: [String], milliseconds: Int64)] = [
        (["msec", "msecs", "millis", "millisecond", "milliseconds"], 1),
        (["sec", "secs", "second", "seconds"], 1000),
        (["min", "mins", "minute", "minutes"], 60_000),
        (["hr", "hrs", "hour", "hours"], 3_600_000),
        (["day", "days"], 86_400_000),
        (["w", "week", "weeks"], 604_800_000),
    ]

    /// A number with its unit, as in `1.5 min`.
    private struct Part {
        /// The number in thousandths.
        var thousandths: Int64
        var hasPoint: Bool
        /// The milliseconds of the unit.
        var unit: Int64
    }

    /// Returns what was probably meant by a text that is not a duration; `nil` if that is unclear.
    package static func correction(of text: String) -> Correction? {
        // A longer text is no mistyped duration.
        guard text.utf8.count <= 80 else { return nil }
        let letters = text.lowercased().unicodeScalars.filter { !$0.properties.isWhitespace }
        if letters.allSatisfy(\.isDigit) {
            return valid("\(String(letters))s", "with a unit").map {
                Correction(text: $0.text, difference: $0.difference, isExample: true)
            }
        }
        guard let parts = parts(of: letters[...]), let first = parts.first else { return nil }
        var total: Int64 = 0
        for part in parts {
            let (product, isTooLong) = part.thousandths.multipliedReportingOverflow(by: part.unit)
            // A fraction of a millisecond is no duration.
            guard !isTooLong, product % 1000 == 0, case (let sum, false) = total.addingReportingOverflow(product / 1000)
            else { return nil }
            total = sum
        }
        if parts.count > 1 { return valid(Self.text(total), "with one number and one unit") }
        if first.hasPoint { return valid(Self.text(total), "with a whole number") }
        guard let unit = units.first(where: { $0.milliseconds == first.unit })?.name else {
            return valid(Self.text(total), "in days")
        }
        let meant = "\(first.thousandths / 1000)\(unit)"
        let differsByBlank = meant == String(text.unicodeScalars.filter { !$0.properties.isWhitespace })
        return valid(meant, differsByBlank ? "without the blank" : "with the unit \(unit)")
    }

    private static func valid(_ text: String, _ difference: String) -> Correction? {
        milliseconds(text).map { _ in Correction(text: text, difference: difference) }
    }

    /// Returns the numbers and units in a text without blanks; `nil` if there is anything else in it.
    private static func parts(of text: Substring.UnicodeScalarView) -> [Part]? {
        var parts: [Part] = []
        var rest = text
        while !rest.isEmpty {
            let whole = rest.prefix(while: \.isDigit)
            rest = rest.dropFirst(whole.count)
            let hasPoint = rest.first == "." || rest.first == ","
            let fraction = hasPoint ? rest.dropFirst().prefix(while: \.isDigit) : rest.prefix(0)
            rest = rest.dropFirst(hasPoint ? 1 + fraction.count : 0)
            let name = String(rest.prefix { !$0.isDigit })
            rest = rest.dropFirst(name.unicodeScalars.count)
            let unit =
                units.first { $0.name == name }?.milliseconds
                ?? otherUnits.first { $0.names.contains(name) }?.milliseconds
            let digits = String(whole) + String(fraction) + String(repeating: "0", count: max(0, 3 - fraction.count))
            guard !whole.isEmpty, fraction.count <= 3, hasPoint == !fraction.isEmpty, let unit,
                let thousandths = Int64(digits)
            else { return nil }
            parts.append(Part(thousandths: thousandths, hasPoint: hasPoint, unit: unit))
        }
        return parts
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { "0"..."9" ~= self }
}
