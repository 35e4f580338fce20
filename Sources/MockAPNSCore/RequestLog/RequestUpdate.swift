/// A change to a record after the request was decided; `nil` leaves a member unchanged.
package struct RequestUpdate: Sendable {
    /// The delivery of the push.
    package var delivery: Delivery?
    /// The sequence number of the push that replaced this stored push.
    package var replacedBy: Int?
    /// The final outcome, after ``Outcome/delayed``.
    package var outcome: Outcome?
    /// The error code with which the stream was reset (RFC 9113, section 7).
    package var resetCode: UInt32?
    /// The time from the last byte of the request to the answer.
    package var latencyMicroseconds: UInt32?
    /// The number of devices that a push published to a broadcast channel has reached by now.
    package var delivered: Int?
    /// The whole explanation from now on, in UTF-8.
    package var explanation: [UInt8]?

    /// Creates a change of these members.
    package init(
        delivery: Delivery? = nil, replacedBy: Int? = nil, outcome: Outcome? = nil, resetCode: UInt32? = nil,
        latencyMicroseconds: UInt32? = nil, delivered: Int? = nil
    ) {
        self.delivery = delivery
        self.replacedBy = replacedBy
        self.outcome = outcome
        self.resetCode = resetCode
        self.latencyMicroseconds = latencyMicroseconds
        self.delivered = delivered
    }

    func apply(to record: inout RequestRecord) {
        if let delivery { record.delivery = delivery }
        if let replacedBy { record.replacedBy = replacedBy }
        if let outcome { record.outcome = outcome }
        if let resetCode { record.resetCode = resetCode }
        if let latencyMicroseconds { record.latencyMicroseconds = latencyMicroseconds }
    }
}
