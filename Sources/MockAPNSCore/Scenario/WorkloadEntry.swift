/// A push asked of a suite's driver, and its time: an element of a scenario's `workload`.
package struct WorkloadEntry: Sendable {
    /// When a push expires.
    package enum Expiration: Sendable, Hashable {
        /// At this time, in seconds since 1970.
        case at(Int64)
        /// This many milliseconds after it is handed to the driver, by the scenario's clock.
        case after(Int64)
    }

    /// The team that a push comes from.
    package struct Signer: Sendable, Hashable {
        package var teamID: String
        package var keyID: String
        /// The path of its key.
        package var key: String

        /// Creates a signer with the file of its key.
        package init(teamID: String, keyID: String, key: String) {
            (self.teamID, self.keyID, self.key) = (teamID, keyID, key)
        }
    }

    /// A push. Members that are `nil` are not sent.
    package struct Push: Sendable {
        /// The device token in hexadecimal digits.
        package var token: String
        package var topic: String?
        package var pushType: PushType?
        package var priority: Int?
        package var expiration: Expiration?
        package var collapseID: String?
        /// The body, as JSON without insignificant white space.
        package var payload: [UInt8]?
        /// Its signer, in a story of several teams; `nil` if that is the identity of the environment.
        package var signer: Signer?

        /// A push to a device token, with nothing else.
        package init(token: String) { self.token = token }
    }

    /// The entries whose pushes must all have an answer first.
    package enum Prerequisite: Sendable, Hashable {
        case nothing
        /// The entries with these indices, all of them earlier ones.
        case entries([Int])
        /// All earlier entries.
        case all
    }

    package var push: Push
    /// How many pushes of this kind begin at once.
    package var times: Int
    package var after: Prerequisite
    /// The pause, in milliseconds of real time, once the entry before has begun and ``after`` is met.
    package var wait: Int64

    /// Creates an entry.
    package init(_ push: Push, times: Int, after: Prerequisite = .nothing, wait: Int64 = 0) {
        (self.push, self.times, self.after, self.wait) = (push, times, after, wait)
    }
}

/// An ability that a driver needs for a story; an element of a scenario's `needs`.
package enum DriverNeed: String, Sendable, CaseIterable {
    /// Identify itself by a client certificate.
    case clientCertificate
    /// Send many pushes on one connection, and keep it while idle.
    case keepsConnection
    /// Open another connection when one ends or is of no use.
    case reconnects
    /// Try again what may be tried again.
    case retries
    /// Send collapse ids.
    case collapses
    /// Send PING frames on a connection that is idle.
    case pings
    /// Sign for several teams, each with connections of its own.
    case teams
}
