// Names that a provider's own modules may well have, too.

/// A type of that name.
public struct Authentication: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Certificate: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Check: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Configuration: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Connection: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Count: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Delivery: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Device: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct DeviceState: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Direction: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Ending: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Environment: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct ErrorCode: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Event: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Expectation: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Field: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Gateway: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct GoAway: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Identity: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct JSONValue: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Log: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct LoggedRequest: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Match: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Matcher: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct NearMiss: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Outcome: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Payload: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Priority: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Push: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct PushType: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Reason: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Registration: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Report: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Request: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Rule: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Scenario: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Server: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Session: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct StartError: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Step: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Summary: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Token: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Topic: Sendable {
    /// One of that name.
    public init() {}
}

/// A type of that name.
public struct Verification: Sendable {
    /// One of that name.
    public init() {}
}
