/// One condition of a rule, ready to be asked.
enum RuleCondition {
    /// The device has one of these names.
    case device([String])
    case number(RequestField, ValueTest)
    case topic(ValueTest)
    /// A text that is among the request's bytes as it is compared.
    case bytes(RequestField, ValueTest)
    /// Any other text.
    case text(RequestField, ValueTest)
    /// A header field, by its name in lower case.
    case header([UInt8], ValueTest)
    case payload(JSONPointer, ValueTest)

    init(_ condition: MatchExpression.Condition, devices: [DeclaredDevice], _ patterns: PatternContext) {
        switch condition {
        case .device(let places):
            self = .device(places.compactMap { devices.indices.contains($0) ? devices[$0].name : nil })
        case .header(let name, let matcher): self = .header(Array(name.utf8), ValueTest(matcher, patterns))
        case .payload(let pointer, let matcher): self = .payload(pointer, ValueTest(matcher, patterns))
        case .field(let field, let matcher):
            let test = ValueTest(matcher, patterns)
            switch (field, field.kind) {
            case (.topic, _): self = .topic(test)
            case (_, .number): self = .number(field, test)
            case (.pushType, _), (.collapseID, _), (.body, _): self = .bytes(field, test)
            default: self = .text(field, test)
            }
        }
    }

    /// Whether it holds.
    func test<Subject: MatchSubject & ~Escapable>(_ subject: inout Subject) -> Truth {
        switch self {
        case .device(let names):
            guard let name = subject.text(.device) else { return .no }
            return Truth(names.contains { $0.utf8.elementsEqual(name) })
        case .number(let field, let test): return Truth(test.holds(subject.number(field)))
        case .text(let field, let test): return test.test(subject.text(field))
        case .topic(let test): return subject.test(.topic, test)
        case .bytes(let field, let test): return subject.test(field, test)
        case .header(let name, let test): return subject.test(header: name, test)
        case .payload(let pointer, let test): return test.test(subject.payload(pointer))
        }
    }

    /// In which order conditions are asked: cheap ones first, for all must hold.
    var cost: Int {
        switch self {
        case .number: 0
        case .topic(let test): test.isSlow ? 4 : 1
        case .bytes(let field, let test): test.isSlow ? 4 : field == .body ? 3 : 1
        case .device: 2
        case .text(_, let test): test.isSlow ? 4 : 2
        case .header(_, let test): test.isSlow ? 4 : 3
        case .payload(_, let test): test.isSlow ? 6 : 5
        }
    }
}
