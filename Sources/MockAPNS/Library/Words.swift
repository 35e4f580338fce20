@_exported public import MockAPNSModel

// The words of scenarios and records, by their names in the library.
extension MockAPNSServer {
    /// Why a push was rejected: the `reason` of an error answer.
    public typealias Reason = MockAPNSWords.Reason
    /// The outcome of a request: the member `outcome` of its record.
    public typealias Outcome = MockAPNSWords.Outcome
    /// The delivery status of an accepted push: the member `delivery` of its record.
    public typealias Delivery = MockAPNSWords.Delivery
    /// The source of the decision about a request: the member `decidedBy` of its record.
    public typealias DecidedBy = MockAPNSWords.DecidedBy
    /// The type of a push: the value of `apns-push-type`.
    public typealias PushType = MockAPNSWords.PushType
    /// A call about broadcast channels: the member `call` of its record.
    public typealias BroadcastCall = MockAPNSWords.BroadcastCall
    /// A field of a request that conditions can test, named as in a scenario's `when`.
    public typealias Field = MockAPNSWords.RequestField
    /// The event that a rule applies to.
    public typealias Trigger = MockAPNSWords.RuleTrigger
    /// The behavior of a rule after its last step.
    public typealias Repetition = MockAPNSWords.Repetition
    /// How a connection ends.
    public typealias Ending = MockAPNSWords.Ending
    /// Behavior that HTTP/2 allows but that was never observed from APNs.
    public typealias Hostility = MockAPNSWords.Hostility
    /// The fault of the certificate that the server presents.
    public typealias ServerCertificateFault = MockAPNSWords.ServerCertificateFault
    /// An alert that ends a TLS handshake.
    public typealias TLSAlert = MockAPNSWords.TLSAlert
    /// An HTTP/2 error code.
    public typealias ErrorCode = MockAPNSWords.ErrorCode
    /// Why a server could not start, with one line that says what to do about it.
    public typealias StartError = MockAPNSWords.StartError
    /// The state of an app on a device.
    public typealias AppState = MockAPNSWords.AppState
    /// Whether the user allows an app to show notifications.
    public typealias NotificationAuthorization = MockAPNSWords.NotificationAuthorization
    /// The system of a device.
    public typealias Platform = MockAPNSWords.Platform
    /// What a device lets an app do only so often.
    public typealias DeviceBudget = MockAPNSWords.DeviceBudget
    /// How bad a finding of lint is.
    public typealias LintSeverity = MockAPNSWords.LintSeverity
}

extension MockAPNSServer.Configuration {
    /// How provider tokens are checked.
    public typealias Authentication = MockAPNSWords.AuthenticationMode
    /// Which of APNs' environments the server plays.
    public typealias Environment = MockAPNSWords.Environment
}

extension MockAPNSServer.LoggedRequest {
    /// The sender of a request: the member `sentBy` of its record.
    public typealias Sender = MockAPNSWords.Sender
    /// Whether a provider token or a client certificate was valid: the member `verdict` of a record's `authentication`.
    public typealias Verdict = MockAPNSWords.AuthenticationVerdict
}

extension MockAPNSServer.LoggedRequest.Authentication {
    /// With what a provider authenticates.
    public typealias Method = MockAPNSWords.AuthenticationMethod
}

extension MockAPNSServer.BroadcastChannel {
    /// Which of its pushes are stored for devices that are offline.
    public typealias Storage = MockAPNSWords.ChannelStorage
}

extension MockAPNSServer.DeviceState.Shown {
    /// How much it may interrupt the user: `interruption-level`.
    public typealias Level = MockAPNSWords.InterruptionLevel
}

extension MockAPNSServer.DeviceState.HistoryEntry {
    /// What became of a push.
    public typealias State = MockAPNSWords.HistoryState
}

extension MockAPNSServer.DeviceState.LiveActivity {
    /// The effect of a push on it.
    public typealias Event = MockAPNSWords.LiveActivityEvent
}

extension MockAPNSServer.GoAway {
    /// The last stream that is processed.
    public typealias LastStream = MockAPNSWords.LastStream
    /// The action after the frame.
    public typealias Then = MockAPNSWords.AfterGoAway
}
