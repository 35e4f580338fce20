extension Connections {
    /// Tells an empty log about the open connections.
    package mutating func introduce(to log: inout RequestLog) {
        log.setLatestIDBefore(latestIDBefore)
        nameServers(in: &log)
    }

    /// Gives an empty log the server names of the open connections.
    package mutating func nameServers(in log: inout RequestLog) {
        for index in open.indices {
            open[index].serverName = log.index(ofServerName: open[index].facts.serverName)
        }
    }

    /// Returns the index in the log of the server name that the client of this connection asked for.
    package mutating func serverName(of id: Int, in log: inout RequestLog) -> UInt16 {
        isOpen(id) ? open[index(of: id)].serverName : log.index(ofServerName: serverName(of: id))
    }
}
