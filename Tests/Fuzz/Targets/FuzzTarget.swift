/// A part of the server that reads what strangers wrote, and what has to hold for every input.
package struct FuzzTarget: Sendable {
    /// The name on the command line, and of the folders with its inputs.
    package let name: String
    /// The longest input that is tried, in bytes.
    package let longestInput: Int
    /// Inputs to begin with, beside files of the repository.
    package let seeds: [[UInt8]]
    /// Gives one input to the part, and throws when something does not hold.
    package let check: @Sendable ([UInt8]) throws(Finding) -> Void

    /// All targets.
    package static let all = [json, providerToken, scenario, frames, session, request, recordedLog]

    /// The target of that name.
    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// Something that does not hold for an input.
package struct Finding: Error, CustomStringConvertible {
    /// What should have been.
    package let description: String
}

/// Throws a finding unless a condition holds.
func require(_ condition: Bool, _ what: @autoclosure () -> String) throws(Finding) {
    if !condition { throw Finding(description: what()) }
}

/// The value, or a finding where there is none.
func unwrap<Value>(_ value: Value?, _ what: @autoclosure () -> String) throws(Finding) -> Value {
    guard let value else { throw Finding(description: what()) }
    return value
}
