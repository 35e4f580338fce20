/// The keys of a record's members as they stand in a line, such as `,"topic":`, ready to copy.
///
/// They are in one array, so that writing one is a plain copy without reference counting.
struct RecordKeys: ~Escapable {
    private let texts: Span<UInt8>
    private let starts: Span<UInt16>

    /// - Parameters:
    ///   - texts: ``texts``.
    ///   - starts: ``starts``.
    @_lifetime(copy texts, copy starts)
    init(_ texts: Span<UInt8>, _ starts: Span<UInt16>) {
        (self.texts, self.starts) = (texts, starts)
    }

    /// Returns the key of a member, with the brace or the comma before it.
    @inline(__always)
    @_lifetime(copy self)
    func of(_ member: RecordMember) -> Span<UInt8> { text(member.rawValue) }

    /// Returns the key of a member of `authentication`, with the brace or the comma before it.
    @inline(__always)
    @_lifetime(copy self)
    func of(authentication member: AuthenticationMember) -> Span<UInt8> {
        text(RecordMember.allCases.count + member.rawValue)
    }

    @inline(__always)
    @_lifetime(copy self)
    private func text(_ index: Int) -> Span<UInt8> { texts.extracting(Int(starts[index])..<Int(starts[index + 1])) }

    private static let all =
        keys(of: RecordMember.allCases.map(\.name)) + keys(of: AuthenticationMember.allCases.map(\.name))

    private static func keys(of names: [String]) -> [[UInt8]] {
        names.enumerated().map { Array("\($0 == 0 ? "{" : ",")\"\($1)\":".utf8) }
    }

    /// All keys concatenated.
    static let texts = all.flatMap { $0 }

    /// The start of each key in ``texts``, followed by the end of the last.
    static let starts = all.reduce(into: [UInt16(0)]) { $0.append($0[$0.count - 1] + UInt16($1.count)) }
}

extension [UInt8] {
    /// Appends the key of a record's member.
    mutating func appendKey(_ member: RecordMember) {
        let (texts, starts) = (RecordKeys.texts, RecordKeys.starts)
        append(RecordKeys(texts.span, starts.span).of(member))
    }

    /// Appends a further member of an object, with the key of a record's.
    mutating func appendMember(_ member: RecordMember, _ text: String) {
        appendKey(member)
        appendJSON(text)
    }

    /// Appends a further member of an object, with the key of a record's.
    mutating func appendMember(_ member: RecordMember, _ number: Int) {
        appendKey(member)
        appendJSON(number)
    }
}
