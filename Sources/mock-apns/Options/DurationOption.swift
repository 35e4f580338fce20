import ArgumentParser
import MockAPNSCore

/// Reads durations on the command line.
enum DurationOption {
    /// Reads a duration greater than zero.
    static func read(_ text: String) throws -> Duration {
        guard let milliseconds = DurationText.milliseconds(text), milliseconds > 0 else {
            throw ValidationError("a duration is a whole number with a unit\(correction(of: text)).")
        }
        return .milliseconds(milliseconds)
    }

    /// What to write instead of a text, as a sentence part.
    static func correction(of text: String) -> String {
        guard let correction = DurationText.correction(of: text), DurationText.milliseconds(correction.text) != 0 else {
            return ", such as 500ms or 10s"
        }
        return correction.isExample
            ? ", such as \(correction.text)" : "; write \(correction.text), \(correction.difference)"
    }
}
