/// Work done in small slices, so that it never blocks a thread for long and can be canceled between slices.
///
/// ```swift
/// var search = snapshot.counting(match)
/// while true {
///     if let count = search.proceed() { return count }
///     try Task.checkCancellation()
///     await Task.yield()
/// }
/// ```
package protocol YieldingTask {
    /// The result of the work.
    associatedtype Outcome

    /// Does one slice, which examines at most one record.
    ///
    /// - Returns: the result after the last slice; `nil` before.
    mutating func proceed() -> Outcome?
}

extension YieldingTask {
    /// Does all of the work at once.
    package consuming func finish() -> Outcome {
        var work = self
        while true {
            if let outcome = work.proceed() { return outcome }
        }
    }
}
