/// The result of the checks if it does not follow from the rest of a record: one byte.
package enum ChecksResult: Sendable, Hashable {
    /// Follows from the rest of the record.
    case derived
    /// A rule ran the checks, and all passed.
    case passed
    /// The check with this raw value failed: a ``Check``, or a ``CallCheck`` in the record of a call.
    case failed(UInt8)
}
