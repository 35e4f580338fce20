/// The words of scenarios, records and the library, each with one definition: the library has them as
/// `MockAPNSServer.Reason`, `MockAPNSServer.Outcome` and so on.
///
/// They are in a namespace so that code that imports the library keeps everyday names such as `Outcome`.
public enum MockAPNSWords {}

/// A word that scenarios and records spell in one way.
public protocol MockAPNSWord: RawRepresentable<String>, CaseIterable, Hashable, Sendable, CustomStringConvertible {}

extension MockAPNSWord {
    /// The word.
    public var description: String { rawValue }

    /// The word.
    package var name: String { rawValue }

    /// Compares the words themselves, not their spelling.
    public static func != (one: Self, other: Self) -> Bool { !(one == other) }
}

/// A word that the log and the frames of a fleet hold as a byte.
package protocol CodedWord: MockAPNSWord {
    /// The byte, its index in ``coded``.
    var code: UInt8 { get }
    /// All words, by their codes.
    static var coded: [Self] { get }
}

extension CodedWord {
    /// Creates the word with this code; fails if there is none.
    package init?(code: UInt8) {
        guard code < Self.coded.count else { return nil }
        self = Self.coded[Int(code)]
    }
}
