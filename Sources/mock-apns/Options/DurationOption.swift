import ArgumentParser
import MockAPNSCore

/// Reads durations on the command line.
enum DurationOption {
    /// Reads a duration greater than zero.
    static func read(_ text: String) throws -> Duration {
        do throws(DurationText.Problem) {
            let milliseconds = try DurationText.read(text)
            if milliseconds > 0 { return .milliseconds(milliseconds) }
        } catch .tooLong {
            throw ValidationError("that is too long; a duration is at most 99999d.")
        } catch {
            let isNegative = text.hasPrefix("-") && DurationText.milliseconds(String(text.dropFirst())) != nil
            guard isNegative else {
                throw ValidationError("a duration is a whole number with a unit\(correction(of: text)).")
            }
        }
        throw ValidationError("a duration must be more than 0, such as 500ms or 10s.")
    }

    /// Returns the text to write instead, as a sentence part.
    static func correction(of text: String) -> String {
        guard let correction = DurationText.correction(of: text), DurationText.milliseconds(correction.text) != 0 else {
            return ", such as 500ms or 10s"
        }
        return correction.isExample
            ? ", such as \(correction.text)" : "; write \(correction.text), \(correction.difference)"
    }
}
