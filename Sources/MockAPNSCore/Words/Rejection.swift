/// Why a check failed.
struct Rejection {
    var reason: Reason
    var explanation: Explanation
    /// The time since which the device token has been invalid; with status 410.
    var timestamp: Timestamp?
    /// The raw value of the check that failed; `nil` for a rejection after the checks.
    var check: UInt8?

    init(_ reason: Reason, _ explanation: Explanation, timestamp: Timestamp? = nil) {
        self.reason = reason
        self.explanation = explanation
        self.timestamp = timestamp
    }
}
