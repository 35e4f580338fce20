/// A row of the article Limits.
struct LimitRow {
    /// What the limit counts.
    enum Unit {
        case elements, bytes
    }

    /// What grows.
    let what: String
    /// Who makes it grow.
    let by: String
    /// The constant in `Sources` that is its limit, with its type.
    let constant: String
    /// What the limit counts.
    let unit: Unit
    /// The value of the label `name` in `/metrics`; `nil` for what is part of another collection.
    let figure: String?
    /// What the limit is said to be in addition to its value.
    let remark: String
    /// What happens beyond it.
    let beyond: String

    /// Creates the row of a collection with figures in `/metrics`.
    static func collection(
        _ figure: String, _ what: String, by: String, _ constant: String, _ unit: Unit = .elements, remark: String = "",
        beyond: String
    ) -> Self {
        Self(what: what, by: by, constant: constant, unit: unit, figure: figure, remark: remark, beyond: beyond)
    }

    /// Creates the row of what is part of another collection, or lasts no longer than a call.
    static func part(
        _ what: String, by: String, _ constant: String, _ unit: Unit = .elements, beyond: String
    ) -> Self {
        Self(what: what, by: by, constant: constant, unit: unit, figure: nil, remark: "", beyond: beyond)
    }

    /// The row in Markdown.
    ///
    /// - Parameter value: the value of the constant.
    func markdown(_ value: Int) -> String {
        let limit = (unit == .bytes ? Self.bytes(value) : Self.number(value)) + remark
        let figure = figure.map { "| `\($0)` " } ?? ""
        return "| \(what) | \(by) | \(limit) \(figure)| \(beyond) |"
    }

    private static func bytes(_ value: Int) -> String {
        if value % (1 << 20) == 0 { return "\(number(value >> 20)) MiB" }
        if value % (1 << 10) == 0 { return "\(number(value >> 10)) KiB" }
        return "\(number(value)) bytes"
    }

    /// Returns a number with commas.
    private static func number(_ value: Int) -> String {
        let digits = String(value)
        return digits.enumerated().map { index, digit in
            let rest = digits.count - index
            return index > 0 && rest % 3 == 0 ? ",\(digit)" : String(digit)
        }.joined()
    }
}
