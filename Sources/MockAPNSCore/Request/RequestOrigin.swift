/// Where a request comes from: the state of its connection when the request arrived.
struct RequestOrigin {
    /// The index of the connection among the open ones.
    let index: Int
    /// The id of the connection, in the lower 32 bits; the others tell replicas apart where a fleet counts as one.
    let id: Int
    /// The number of the connection in the run; `nil` if it was open at a reset.
    let number: Int?
    /// The position of the request on its connection, starting at 1.
    let request: Int
    /// Whether the connection belongs to the sandbox.
    let isSandbox: Bool
    /// The index of the client's server name in the log.
    let serverNameIndex: UInt16
    /// The server name itself, if a rule may need it.
    var serverName: String?
    /// The highest stream processed before this request.
    let highestStream: UInt32
}
