/// The text of a timestamp according to RFC 3339, `2026-11-21T10:00:00.123Z`.
///
/// The calendar is computed by hand (with years that start in March, so that the leap day is the last day of its year),
/// because Foundation is not used here, and because each log line has two of these.
extension Timestamp {
    /// The length in bytes of the text that ``appendText(to:)`` writes.
    package static let textLength = 24

    /// The range of timestamps that have a text: RFC 3339 has years with four digits.
    package static let textRange =
        Timestamp(milliseconds: -62_167_219_200_000)...Timestamp(milliseconds: 253_402_300_799_999)

    /// Appends the timestamp in UTC with milliseconds, always 24 bytes. Timestamps outside ``textRange`` are clamped to
    /// it.
    package func appendText(to bytes: inout [UInt8]) {
        let clamped = max(Self.textRange.lowerBound, min(Self.textRange.upperBound, self)).milliseconds
        var days = clamped / 86_400_000
        var rest = clamped % 86_400_000
        if rest < 0 {
            rest += 86_400_000
            days -= 1
        }
        let (year, month, day) = Self.civil(days: days)
        bytes.append(addingCapacity: Self.textLength) { text in
            Self.put(year, digits: 4, then: "-", into: &text)
            Self.put(month, digits: 2, then: "-", into: &text)
            Self.put(day, digits: 2, then: "T", into: &text)
            Self.put(rest / 3_600_000, digits: 2, then: ":", into: &text)
            Self.put(rest / 60_000 % 60, digits: 2, then: ":", into: &text)
            Self.put(rest / 1000 % 60, digits: 2, then: ".", into: &text)
            Self.put(rest % 1000, digits: 3, then: "Z", into: &text)
        }
    }

    @inline(__always)
    private static func put(
        _ value: Int64, digits: Int, then separator: Unicode.Scalar, into text: inout OutputSpan<UInt8>
    ) {
        let value = UInt32(truncatingIfNeeded: value)
        if digits >= 4 { text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 1000)) }
        if digits >= 3 { text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 100 % 10)) }
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10 % 10))
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
        text.append(UInt8(ascii: separator))
    }

    /// The timestamp in UTC with milliseconds, `2026-11-21T10:00:00.123Z`.
    package var text: String {
        var bytes: [UInt8] = []
        appendText(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Parses a date and time according to RFC 3339 (section 5.6): `T` and `Z` in either case, any number of fraction
    /// digits (cut off after the third), and `Z` or an offset from UTC.
    ///
    /// Fails for anything else: an invalid date, an hour above 23, a missing offset, and also second 60, because time
    /// since 1970 has no leap seconds.
    package init?(_ text: Span<UInt8>) {
        var reader = DateReader(text.count)
        guard let year = reader.number(digits: 4, in: text), reader.take("-", in: text),
            let month = reader.number(digits: 2, in: text), reader.take("-", in: text),
            let day = reader.number(digits: 2, in: text), reader.take("T", or: "t", in: text),
            let hour = reader.number(digits: 2, in: text), reader.take(":", in: text),
            let minute = reader.number(digits: 2, in: text), reader.take(":", in: text),
            let second = reader.number(digits: 2, in: text)
        else { return nil }
        guard 1...12 ~= month, day >= 1, day <= Self.days(inMonth: month, ofYear: year),
            hour <= 23, minute <= 59, second <= 59
        else { return nil }
        guard let fraction = reader.fraction(in: text), let offset = reader.offset(in: text), reader.isAtEnd else {
            return nil
        }
        let minutes = Self.days(year: year, month: month, day: day) * 1440 + hour * 60 + minute - offset
        self.init(milliseconds: (minutes * 60 + second) * 1000 + fraction)
    }

    /// Parses a string, like ``init(_:)-(Span<UInt8>)``.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(bytes.span)
    }

    /// Returns year, month and day for a number of days since 1970-01-01, in the proleptic Gregorian calendar.
    private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // There are 719,468 days from 0000-03-01 to 1970-01-01; an era is the 400 years after which the calendar
        // repeats.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    /// Returns the number of days since 1970-01-01 for a date with a year from 0 to 9999.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func days(inMonth month: Int64, ofYear year: Int64) -> Int64 {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// A cursor in the text of a date.
private struct DateReader {
    private var offset = 0
    private let end: Int

    init(_ count: Int) { end = count }

    var isAtEnd: Bool { offset == end }

    /// Reads exactly this number of digits; further digits are an error of the next part.
    mutating func number(digits: Int, in text: Span<UInt8>) -> Int64? {
        guard offset + digits <= end else { return nil }
        var number: Int64 = 0
        for _ in 0..<digits {
            let byte = text[offset]
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
            offset += 1
        }
        return number
    }

    mutating func take(_ wanted: Unicode.Scalar, or other: Unicode.Scalar? = nil, in text: Span<UInt8>) -> Bool {
        guard offset < end else { return false }
        let found = Unicode.Scalar(text[offset])
        guard found == wanted || found == other else { return false }
        offset += 1
        return true
    }

    /// Reads the milliseconds of a fraction of a second: 0 without one, `nil` for a point without digits.
    mutating func fraction(in text: Span<UInt8>) -> Int64? {
        guard take(".", in: text) else { return 0 }
        var milliseconds: Int64 = 0
        var digits = 0
        while let digit = number(digits: 1, in: text) {
            if digits < 3 { milliseconds = milliseconds * 10 + digit }
            digits += 1
        }
        guard digits > 0 else { return nil }
        for _ in min(digits, 3)..<3 { milliseconds *= 10 }
        return milliseconds
    }

    /// Reads the minutes by which local time is ahead of UTC.
    mutating func offset(in text: Span<UInt8>) -> Int64? {
        if take("Z", or: "z", in: text) { return 0 }
        let isAhead = take("+", in: text)
        guard isAhead || take("-", in: text), let hours = number(digits: 2, in: text), take(":", in: text),
            let minutes = number(digits: 2, in: text), hours <= 23, minutes <= 59
        else { return nil }
        return (isAhead ? 1 : -1) * (hours * 60 + minutes)
    }
}
