/// A digest of a text: replicas find out by it whether they play the same scenario with the same keys, and seeds are
/// made of it. It does not protect from forgery.
package enum Digest {
    /// Returns a number that differs for different texts.
    package static func number(of text: [UInt8]) -> UInt64 { text.span.checksum }

    /// Returns the number as 16 hexadecimal digits.
    package static func text(of text: [UInt8]) -> String {
        let digits = String(number(of: text), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
