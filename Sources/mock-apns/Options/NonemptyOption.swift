import ArgumentParser

/// Reads names of files and folders, and ids, on the command line.
enum NonemptyOption {
    /// Takes any text but an empty one, which a shell makes of a variable that is not set.
    static func read(_ text: String) throws -> String {
        if text.isEmpty { throw ValidationError("it is empty; perhaps a variable is not set.") }
        return text
    }
}
