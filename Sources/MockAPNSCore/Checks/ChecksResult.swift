/// The result of the checks if it does not follow from the rest of a record: one byte.
package enum ChecksResult: Sendable, Hashable {
    /// Follows from the rest of the record.
    case derived
    /// A rule ran the checks, and all passed.
    case passed
    /// This check failed.
    case failed(Check)
}
