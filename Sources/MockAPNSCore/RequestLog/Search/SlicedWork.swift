/// Work that is done in small slices, so that it never keeps a thread for long, and can be given up between two of them.
///
/// ```swift
/// var search = snapshot.counting(match)
/// while true {
///     if let count = search.proceed() { return count }
///     try Task.checkCancellation()
///     await Task.yield()
/// }
/// ```
package protocol SlicedWork {
    /// What comes of the work.
    associatedtype Outcome

    /// Does one slice, which looks at one record at most.
    ///
    /// - Returns: the outcome after the last slice, `nil` before.
    mutating func proceed() -> Outcome?
}

extension SlicedWork {
    /// Does all of it at once.
    package consuming func finish() -> Outcome {
        var work = self
        while true {
            if let outcome = work.proceed() { return outcome }
        }
    }
}
