/// What a provider does with broadcast channels.
struct ChannelRules: Sendable {
    /// Maximum number of channels remembered.
    private static let limit = 100_000

    private let leftPercent, minimum, perPushPercent: Int64
    /// How many channels an app may have.
    private let mostChannels: Int
    private var made = ProviderFindings.Pushes(count: 0)
    private var published = 0
    /// The requests that made the channels that exist, by hashes of their ids.
    private var left: [UInt64: Int] = [:]

    init(_ settings: LintSettings, _ run: LintedRun) {
        leftPercent = settings.value(of: .channelsLeftPercent)
        minimum = settings.value(of: .channelPerPushMinimum)
        perPushPercent = settings.value(of: .channelPerPushPercent)
        mostChannels = run.channelLimit
    }

    /// Takes an accepted call about channels.
    ///
    /// - Parameter id: the hash of the channel's id.
    mutating func check(_ call: BroadcastCall, _ id: UInt64, _ sequence: Int) {
        switch call {
        case .create:
            made.count += 1
            made.first = made.first ?? sequence
            made.last = sequence
            if left.count < Self.limit { left[id] = sequence }
        case .delete: left[id] = nil
        case .publish: published += 1
        case .read, .list: break
        }
    }

    func finish(_ findings: inout ProviderFindings) {
        if made.count >= Int(minimum), made.count * 100 >= published * Int(perPushPercent) {
            findings.report(
                .channelPerPush, in: made,
                "\(counted(made.count, "channel")) for \(counted(published, "broadcast")); make one for each event, and "
                    + "publish to it until that is over")
        }
        guard let first = left.values.min(), let last = left.values.max() else { return }
        let isMuch = left.count * 100 > mostChannels * Int(leftPercent)
        findings.report(
            .channelsLeft, in: .init(first: first, last: last, count: left.count),
            severity: isMuch ? .error : nil,
            "\(left.count) of \(counted(made.count, "channel")) that were made have not been deleted; delete a channel once "
                + "its event is over")
    }
}
