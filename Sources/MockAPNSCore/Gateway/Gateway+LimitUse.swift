extension Gateway {
    /// How full the collections are that a run can make grow.
    func limitUses() -> [LimitUse] {
        ofDevices + ofChannels + [
            LimitUse("records", limit: log.limit, used: log.count, dropped: log.dropped),
            LimitUse(
                "server_names", limit: RequestLog.serverNameLimit, used: log.serverNames.count,
                dropped: log.unlistedServerNames),
            LimitUse("provider_tokens", limit: RequestLog.tokenLimit, used: log.tokenCount),
            LimitUse(
                "provider_token_teams", limit: ProviderTokenValidator.mostTeams, used: validator.teamCount,
                dropped: validator.untracked),
            LimitUse(
                "closed_connections", limit: Connections.closedLimit,
                used: min(connections.closed.count, Connections.closedLimit),
                dropped: connections.forgotten),
            LimitUse("rules", limit: RuleBook.limit, used: rules.rules.count, dropped: rules.refused),
            LimitUse("rule_bytes", limit: RuleBook.byteLimit, used: rules.byteCount),
            LimitUse("removed_rules", limit: RemovedRules.limit, used: rules.removed.count),
            LimitUse("relay_differences", limit: RelayDifferences.limit, used: differences.groups.count),
            LimitUse("waits", limit: WaitTable.limit, used: watch.waits.count, dropped: watch.waits.refused),
            LimitUse(
                "wait_patterns", limit: WaitTable.slowLimit, used: watch.waits.slowGroups,
                dropped: watch.waits.slowRefused),
        ]
    }

    private var ofDevices: [LimitUse] {
        let own = state.devices.selfRegisteredCount
        return [
            LimitUse(
                "self_registered_devices", limit: DeviceRegistry.selfRegisteredLimit, used: own,
                dropped: state.devices.evicted),
            LimitUse(
                "declared_devices", limit: DeviceRegistry.declaredLimit, used: state.devices.count - own,
                dropped: state.devices.refused),
            LimitUse(
                "topics", limit: TopicTable.limit, used: state.devices.topics.count,
                dropped: state.devices.topics.refused),
            LimitUse("topic_bytes", limit: TopicTable.byteLimit, used: state.devices.topics.byteCount),
            LimitUse(
                "stored_push_bytes", limit: MailboxStore.storedByteLimit, used: state.mailboxes.storedBytes,
                dropped: state.mailboxes.discarded),
            LimitUse(
                "displayed_push_bytes", limit: MailboxStore.displayedByteLimit, used: state.mailboxes.displayedBytes),
        ]
    }

    private var ofChannels: [LimitUse] {
        [
            LimitUse(
                "channels", limit: BroadcastSettings.mostChannels, used: state.channels.count,
                dropped: state.channels.refused),
            LimitUse(
                "deleted_channels", limit: ChannelRegistry.deletedLimit, used: state.channels.deletedCount,
                dropped: state.channels.forgottenCount),
            LimitUse("channel_push_bytes", limit: Subscriptions.byteLimit, used: state.subscriptions.byteCount),
        ]
    }
}
