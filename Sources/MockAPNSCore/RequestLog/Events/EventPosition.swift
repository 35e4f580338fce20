/// How far an event stream has got: the id of its latest event, for example `17-3`.
package struct EventPosition: Sendable, Hashable, CustomStringConvertible {
    /// The latest request; 0 for none.
    package var sequence: Int
    /// The number of the latest other event; 0 for none.
    package var number: Int

    /// Creates a position after this request and this other event.
    package init(sequence: Int = 0, number: Int = 0) {
        (self.sequence, self.number) = (sequence, number)
    }

    /// Parses the id of an event; `nil` if the text is not one.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let sequence = Self.number(parts[0]), let number = Self.number(parts[1]) else {
            return nil
        }
        self.init(sequence: sequence, number: number)
    }

    private static func number(_ digits: Substring) -> Int? {
        digits.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(digits) : nil
    }

    /// The id, for example `17-3`.
    package var description: String { "\(sequence)-\(number)" }
}
