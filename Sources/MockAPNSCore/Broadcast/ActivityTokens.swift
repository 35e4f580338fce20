/// The tokens of Live Activities that have tokens of their own.
///
/// A token stays known after its Live Activity has gone, because pushes to it are answered with 410 ExpiredToken and the
/// time of its end. Of those tokens, the latest ``expiredLimit`` are remembered.
package struct ActivityTokens: Sendable {
    /// Maximum number of tokens remembered whose Live Activities have gone.
    static let expiredLimit = 10_000

    /// What a token stands for.
    package enum Use: Sendable, Hashable {
        /// It starts Live Activities of an app; an empty one means any app.
        case start(app: String)
        /// It updates the Live Activity with this number.
        case update(Int)
        /// The Live Activity that it updated has ended and gone.
        case expired(app: String?, since: Timestamp)
    }

    /// A token's device, and what it stands for there.
    package struct Entry: Sendable, Hashable {
        var device: DeviceIndex
        var use: Use
    }

    private var entries: [DeviceToken: Entry] = [:]
    private var starts: [DeviceIndex: [StartToken]] = [:]
    /// The tokens of Live Activities that have gone, oldest first, from ``firstExpired`` on.
    private var expired: [DeviceToken] = []
    private var firstExpired = 0

    /// Whether there are none.
    var isEmpty: Bool { entries.isEmpty }

    /// What a token stands for; `nil` if it is none of these.
    package subscript(token: DeviceToken) -> Entry? { entries[token] }

    /// The push-to-start tokens of a device; empty if its Live Activities have no tokens of their own.
    func startTokens(of device: DeviceIndex) -> [StartToken] { starts[device] ?? [] }

    /// Whether pushes that start Live Activities on a device go to tokens of their own.
    func hasStartTokens(_ device: DeviceIndex) -> Bool { starts[device].map { !$0.isEmpty } ?? false }

    /// Hands out the push-to-start tokens of a device.
    mutating func add(_ tokens: [StartToken], of device: DeviceIndex) {
        guard !tokens.isEmpty else { return }
        starts[device] = tokens
        for start in tokens { entries[start.token] = Entry(device: device, use: .start(app: start.app)) }
    }

    /// Hands out the update token of a Live Activity.
    mutating func add(_ token: DeviceToken, of device: DeviceIndex, toUpdate activity: Int) {
        if starts[device] == nil { starts[device] = [] }
        entries[token] = Entry(device: device, use: .update(activity))
    }

    /// Takes note that a Live Activity has gone.
    mutating func expire(_ token: DeviceToken, app: String?, since end: Timestamp) {
        guard let device = entries[token]?.device else { return }
        entries[token] = Entry(device: device, use: .expired(app: app, since: end))
        expired.append(token)
        guard expired.count - firstExpired > Self.expiredLimit else { return }
        forget(expired[firstExpired])
        firstExpired += 1
        // In chunks, so that each token is moved once on average.
        guard firstExpired >= Self.expiredLimit else { return }
        expired.removeFirst(firstExpired)
        firstExpired = 0
    }

    private mutating func forget(_ token: DeviceToken) {
        if case .expired? = entries[token]?.use { entries[token] = nil }
    }

    /// Forgets a device, after its Live Activities have gone.
    mutating func remove(_ device: DeviceIndex) {
        // One without push-to-start tokens has no others.
        guard starts.removeValue(forKey: device) != nil else { return }
        entries = entries.filter { $0.value.device != device }
    }
}
