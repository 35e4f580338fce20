extension RequestOrigin {
    /// Creates the origin of the next request on a connection.
    ///
    /// - Parameter isScripted: whether rules may match the server name; otherwise it is not copied.
    @inline(__always)
    init(_ connections: inout Connections, at index: Int, isScripted: Bool) {
        connections.open[index].requests += 1
        self.index = index
        id = connections.open[index].id
        number = connections.open[index].number
        request = connections.open[index].requests
        isSandbox = connections.open[index].isSandbox
        serverNameIndex = connections.open[index].serverName
        serverName = isScripted ? connections.open[index].facts.serverName : nil
        highestStream = connections.open[index].life.highestStream
    }
}
