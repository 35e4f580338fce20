/// Orders for one connection.
package struct ConnectionOrder: Sendable, Equatable {
    /// The id of the connection.
    package var connection: Int
    /// The actions to carry out, in order.
    package var actions: [ConnectionAction]
}
