import MockAPNSCore

extension LintRule {
    static let channelRules = [channelsLeft, channelPerPush]

    static let channelsLeft = LintRule(
        id: "channels-left", severity: .warning,
        finds: "a channel that was created is never deleted; more than 10 % of an app's limit is an error",
        effect: "An app may have 10,000 channels; then it can create no more.", sources: [.channels],
        thresholds: [.channelsLeftPercent], judge: RunCheck(ChannelRules.self), isAboutPushes: false)

    static let channelPerPush = LintRule(
        id: "channel-per-push", severity: .error,
        finds: "at least five channels, and at least half as many channels as broadcasts",
        effect: "A channel is for an event that many people follow, and an app may have 10,000.", sources: [.channels],
        thresholds: [.channelPerPushMinimum, .channelPerPushPercent], judge: RunCheck(ChannelRules.self),
        isAboutPushes: false)
}

extension LintThreshold {
    /// How many of an app's channels may be left for a warning, as a percentage of its limit.
    static let channelsLeftPercent = Self(name: "channelsLeftPercent", kind: .percentage, usual: 10)
    /// From how many channels on `channel-per-push` speaks.
    static let channelPerPushMinimum = Self(name: "channelPerPushMinimum", kind: .count, usual: 5)
    /// How many channels there may be for 100 broadcasts.
    static let channelPerPushPercent = Self(name: "channelPerPushPercent", kind: .percentage, usual: 50)
}

/// Judges a provider's use of broadcast channels.
struct ChannelRules: RunJudge {
    /// Maximum number of channels remembered.
    private static let limit = 100_000

    /// How many channels an app may have.
    private let mostChannels: Int
    private var made = ProviderFindings.Pushes(count: 0)
    private var published = 0
    /// The requests that made the channels that exist, by hashes of their ids.
    private var left: [UInt64: Int] = [:]

    init(_ settings: LintSettings, _ run: LintedRun) {
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

    func finish(_ findings: inout ProviderFindings, at end: Int64) {
        if made.count >= findings.settings.count(of: .channelPerPushMinimum),
            made.count * 100 >= published * findings.settings.count(of: .channelPerPushPercent)
        {
            findings.report(
                .channelPerPush, in: made,
                "\(counted(made.count, "channel")) for \(counted(published, "broadcast")); make one for each event, and "
                    + "publish to it until that is over")
        }
        guard let first = left.values.min(), let last = left.values.max() else { return }
        let isMuch = left.count * 100 > mostChannels * findings.settings.count(of: .channelsLeftPercent)
        findings.report(
            .channelsLeft, in: .init(first: first, last: last, count: left.count),
            severity: isMuch ? .error : nil,
            "\(left.count) of \(counted(made.count, "channel")) that were made have not been deleted; delete a channel once "
                + "its event is over")
    }
}
