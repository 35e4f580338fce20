/// The connection that a log line refers to.
package struct ConnectionReference {
    /// The number in the run; `nil` for a connection that was open at a reset.
    package var number: Int?
    /// The id; `nil` in old logs without ids. In those, numbers continued after a reset and identified connections.
    package var id: Int?

    /// Creates an empty reference.
    package init() {}

    /// Creates the reference to a connection of this server.
    init(id: Int, number: Int?) { (self.id, self.number) = (id, number) }

    /// Identifies the connection among all connections of the server.
    package var key: Int { id ?? number ?? 0 }
}
