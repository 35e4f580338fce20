/// The answer to a request.
package struct Answer: Sendable {
    /// The HTTP status.
    package var status: UInt16
    /// The reason, if the request is refused.
    package var reason: Reason?
    /// The time since which the device token has been invalid; only with status 410.
    package var timestamp: Timestamp?
    /// The value of `apns-id`, or of `apns-request-id` in the answer to a call about broadcast channels.
    package var apnsID: APNSID
    /// The value of `apns-unique-id`; only with 200 in the sandbox.
    package var uniqueID: APNSID?
    /// The part of the answer that only calls about broadcast channels have; `nil` for a push to a device.
    package var call: CallAnswer?
    /// Whether an error answer has no body, because the method of the request is HEAD.
    package var omitsBody = false
    /// Whether an error answer declares its body as JSON; see ``GatewayConfiguration/Responses/contentType``.
    package var namesContentType = false
}
