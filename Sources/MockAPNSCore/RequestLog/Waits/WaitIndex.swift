/// Finds the waits that a request can match, so that thousands that it cannot match cost nothing. Each wait is indexed
/// under one value that it requires: of a field, of a header field or in the payload.
///
/// Values are represented by hashes. Collisions do no harm, because every wait found is tested anyway.
struct WaitIndex {
    /// The part of a request that a value belongs to.
    enum Part: Hashable {
        case field(RequestField)
        /// A header field, by the hash of its name.
        case header(UInt64)
        case payload(JSONPointer)
    }

    /// How a wait is indexed.
    enum Entry {
        /// Tested with every request.
        case always
        /// Tested with requests that have one of these values in this part.
        case values(Part, [UInt64])
    }

    /// Up to this number of waits under one value, no other part is considered.
    private static let crowd = 8

    private var always: [Int] = []
    private var waits: [UInt64: [Int]] = [:]
    /// The number of waits indexed under each part.
    private var fields: [(field: RequestField, count: Int)] = []
    private var headers: [UInt64: Int] = [:]
    private var pointers: [(pointer: JSONPointer, count: Int)] = []

    // MARK: Adding and removing

    /// Adds a wait and returns its entry, chosen for few other waits and a cheap lookup.
    mutating func add(_ wait: Int, for match: RequestMatch) -> Entry {
        var best: (part: Part, values: [UInt64], crowd: Int)?
        for (part, values) in Self.demands(of: match) {
            let crowd = values.reduce(0) { max($0, waits[$1]?.count ?? 0) }
            if crowd < best?.crowd ?? .max { best = (part, values, crowd) }
            if crowd < Self.crowd { break }
        }
        guard let best else {
            always.append(wait)
            return .always
        }
        for value in best.values { waits[value, default: []].append(wait) }
        count(best.part, by: 1)
        return .values(best.part, best.values)
    }

    /// Removes a wait with this entry.
    mutating func remove(_ wait: Int, _ entry: Entry) {
        switch entry {
        case .always: always.remove(wait)
        case .values(let part, let values):
            for value in values {
                waits[value]?.remove(wait)
                if waits[value]?.isEmpty ?? false { waits[value] = nil }
            }
            count(part, by: -1)
        }
    }

    private mutating func count(_ part: Part, by step: Int) {
        switch part {
        case .field(let field):
            let index = fields.firstIndex { $0.field == field } ?? fields.count
            if index == fields.count { fields.append((field, 0)) }
            fields[index].count += step
            if fields[index].count == 0 { fields.remove(at: index) }
        case .header(let name):
            let count = headers[name, default: 0] + step
            headers[name] = count == 0 ? nil : count
        case .payload(let pointer):
            let index = pointers.firstIndex { $0.pointer == pointer } ?? pointers.count
            if index == pointers.count { pointers.append((pointer, 0)) }
            pointers[index].count += step
            if pointers[index].count == 0 { pointers.remove(at: index) }
        }
    }

    // MARK: Finding

    /// Finds the waits that a request can match; one may be found more than once.
    func find(_ subject: inout RecordSubject, into found: inout [Int]) {
        if !always.isEmpty { found.append(contentsOf: always) }
        for (field, _) in fields {
            if let value = subject.hash(of: field), let waits = waits[value] { found.append(contentsOf: waits) }
        }
        if !headers.isEmpty { findHeaders(subject, into: &found) }
        for (pointer, _) in pointers {
            guard let value = subject.payload(pointer)?.hash(in: .payload(pointer)), let waits = waits[value] else {
                continue
            }
            found.append(contentsOf: waits)
        }
    }

    private func findHeaders(_ subject: borrowing RecordSubject, into found: inout [Int]) {
        let bytes = subject.bytes
        var rest = HeaderFields(length: Int(subject.record.headerCount))
        while let field = rest.next(in: bytes) {
            let name = bytes.extracting(field.name.range).hash
            guard headers[name] != nil else { continue }
            let value = Part.header(name).hash(bytes.extracting(field.value.range))
            if let waits = waits[value] { found.append(contentsOf: waits) }
        }
    }

    // MARK: Required values

    /// The fields used for indexing, the most distinctive first.
    private static let ranking: [RequestField] = [
        .apnsID, .uniqueID, .token, .device, .collapseID, .topic, .connection, .providerToken, .requestOnConnection,
        .keyID, .teamID, .serverName, .expiration, .payloadBytes, .inFlight, .status, .pushType, .priority,
    ]

    /// Returns the sets of values, by part, from each of which a request must have one; the cheapest lookup comes
    /// first.
    private static func demands(of match: RequestMatch) -> [(Part, [UInt64])] {
        var demands: [(rank: Int, part: Part, values: [UInt64])] = []
        for condition in match.conditions {
            let (rank, part): (Int, Part)
            switch condition {
            case .device: continue
            case .field(.body, _): (rank, part) = (ranking.count + 1, .field(.body))
            case .field(let field, _):
                guard let number = ranking.firstIndex(of: field) else { continue }
                (rank, part) = (number, .field(field))
            case .header(let name, _): (rank, part) = (ranking.count, .header(Array(name.utf8).span.hash))
            case .payload(let pointer, _): (rank, part) = (ranking.count + 2, .payload(pointer))
            }
            if let values = condition.matcher.hashes(in: part) { demands.append((rank, part, values)) }
        }
        return demands.sorted { $0.rank < $1.rank }.map { ($0.part, $0.values) }
    }
}

extension WaitIndex.Part {
    private var salt: UInt64 {
        switch self {
        case .field(let field): Array(field.rawValue.utf8).span.hash
        case .header(let name): name &* 3
        case .payload(let pointer): Array(pointer.description.utf8).span.hash &* 5
        }
    }

    private func mixed(_ hash: UInt64) -> UInt64 { (hash ^ salt) &* 0x9e37_79b9_7f4a_7c15 }

    /// Returns the hash of a text in this part.
    func hash(_ text: Span<UInt8>) -> UInt64 {
        switch self {
        case .field(.apnsID):
            if let id = MadeID(text) { return hash(id) }
            return mixed(text.caselessHash)
        case .field(.token): return mixed(text.caselessHash)
        default: return mixed(text.hash)
        }
    }

    func hash(_ number: Int64) -> UInt64 { mixed(UInt64(bitPattern: number) &* 0x0100_0000_01b3) }

    func hash(_ id: MadeID) -> UInt64 { mixed(id.high ^ id.low &* 0x0100_0000_01b3) }
}

extension ValueMatcher {
    /// Returns the hashes of the only values that match; `nil` if others than texts and whole numbers can match.
    fileprivate func hashes(in part: WaitIndex.Part) -> [UInt64]? {
        switch self {
        case .text(let text): return [part.hash(text.span)]
        case .number(let number): return [part.hash(number)]
        case .anyOf(let matchers):
            var hashes: Set<UInt64> = []
            for matcher in matchers {
                guard let values = matcher.hashes(in: part) else { return nil }
                hashes.formUnion(values)
            }
            return Array(hashes)
        default: return nil
        }
    }
}

extension RecordSubject {
    /// Returns the hash of a field's value; `nil` if the field is absent.
    fileprivate func hash(of field: RequestField) -> UInt64? {
        let part = WaitIndex.Part.field(field)
        switch field.kind {
        case .number: return number(field).map { part.hash($0) }
        case .text, .foldedText:
            if field == .apnsID, case .made(let id) = record.apnsID { return part.hash(id) }
            let range = self.range(of: field)
            if !range.isAbsent { return part.hash(bytes.extracting(range.indices)) }
            return text(field).map { part.hash($0.span) }
        case .word: return nil
        }
    }
}

extension JSONText.Value {
    /// Returns the hash of a text or a whole number; `nil` for any other value.
    fileprivate func hash(in part: WaitIndex.Part) -> UInt64? {
        switch content {
        case .string(let text): return part.hash(Array(text.utf8).span)
        case .number(let number): return number.int64.map { part.hash($0) }
        default: return nil
        }
    }
}

extension Span<UInt8> {
    /// A hash that ignores the case of ASCII letters.
    fileprivate var caselessHash: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        var index = 0
        while index + 4 <= count {
            hash = (hash ^ UInt64(word(at: index) | 0x2020_2020)) &* 0x0100_0000_01b3
            index += 4
        }
        while index < count {
            hash = (hash ^ UInt64(self[index] | 0x20)) &* 0x0100_0000_01b3
            index += 1
        }
        return hash ^ hash >> 32
    }
}

extension [Int] {
    fileprivate mutating func remove(_ wait: Int) {
        guard let index = firstIndex(of: wait) else { return }
        swapAt(index, count - 1)
        removeLast()
    }
}
