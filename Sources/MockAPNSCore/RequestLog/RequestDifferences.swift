import MockAPNSJSON

/// How the records of two requests differ.
package struct RequestDifferences: Sendable {
    /// A place in the record with other values.
    package struct Difference: Sendable {
        /// The place, as a JSON Pointer into the record, such as `/payload/aps/badge`.
        package var pointer: JSONPointer
        /// The value in the record that is compared with; `nil` if it has none there.
        package var from: JSONText.Value?
        /// The value in the other record; `nil` if it has none there.
        package var to: JSONText.Value?
    }

    /// Members that are different in any two records, and those that follow from others.
    private static let different: Set<String> = Set(
        [
            RecordMember.sequence, .time, .clock, .stream, .uniqueID, .inFlight, .payloadBase64, .latencyMicroseconds,
            .deliveries,
        ].map(\.name))

    /// The differences, in the order of the records' members.
    package private(set) var all: [Difference] = []

    /// Compares two records, as the API has them.
    package init(from old: JSONText.Value, to new: JSONText.Value) { compare(old, new, at: []) }

    private mutating func compare(_ old: JSONText.Value, _ new: JSONText.Value, at place: [String]) {
        if let old = old.object, let new = new.object {
            let keys = new.map(\.key) + old.map(\.key).filter { key in !new.contains { $0.key == key } }
            for key in keys where !place.isEmpty || !Self.different.contains(key) {
                compare(old.last { $0.key == key }?.value, new.last { $0.key == key }?.value, at: place + [key])
            }
        } else if let old = old.array, let new = new.array {
            for index in 0..<max(old.count, new.count) {
                let (old, new) = (old.dropFirst(index).first, new.dropFirst(index).first)
                compare(old, new, at: place + ["\(index)"])
            }
        } else if RecordValue(old) != RecordValue(new) {
            all.append(Difference(pointer: JSONPointer(place), from: old, to: new))
        }
    }

    private mutating func compare(_ old: JSONText.Value?, _ new: JSONText.Value?, at place: [String]) {
        if let old, let new { return compare(old, new, at: place) }
        all.append(Difference(pointer: JSONPointer(place), from: old, to: new))
    }
}

extension RequestDifferences {
    /// The differences as a JSON array. A value that is absent on one side is left out.
    package var json: [UInt8] {
        var json: [UInt8] = [UInt8(ascii: "[")]
        for (index, difference) in all.enumerated() {
            json.append(contentsOf: (index == 0 ? #"{"pointer":"# : #",{"pointer":"#).utf8)
            json.appendJSON(difference.pointer.description as String?)
            for (name, value) in [("from", difference.from), ("to", difference.to)] {
                guard let value else { continue }
                json.append(contentsOf: ",\"\(name)\":".utf8)
                json.appendJSON(value)
            }
            json.append(UInt8(ascii: "}"))
        }
        json.append(UInt8(ascii: "]"))
        return json
    }
}
