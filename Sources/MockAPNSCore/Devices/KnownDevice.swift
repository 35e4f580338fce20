/// The facts about the device of a request.
struct KnownDevice {
    let index: DeviceIndex
    /// The name in the scenario in UTF-8, if it has one.
    let name: [UInt8]?
    /// The index of the request's topic, if it has one yet.
    let topic: TopicIndex?
    /// Whether its token is valid for the request's topic.
    let isForTopic: Bool
    /// The Live Activity that the token stands for.
    let activity: KeptPush.Activity
    /// Whether its token belongs to the environment of the connection.
    let isForEnvironment: Bool
    /// The current state of its registration.
    let registration: Device.RegistrationStatus
}
