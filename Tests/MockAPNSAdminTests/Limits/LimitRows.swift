/// The rows of the article Limits. A limit in `Sources` without a row makes a test fail; see ``notCollections``.
extension LimitRow {
    static let collections: [LimitRow] = [
        .collection(
            "records", "requests in the log", by: "providers, API", "GatewayConfiguration.defaultLogLimit",
            remark: ", or `--log-limit`", beyond: "the oldest goes"),
        .collection(
            "events", "other events, for event streams", by: "providers, API", "LatestEvents.defaultLimit",
            beyond: "the oldest goes; a stream that has not sent it sends `lagged`"),
        .collection(
            "provider_tokens", "provider tokens with a number in records", by: "providers", "RequestLog.tokenLimit",
            beyond: "all others have the same number, one more"),
        .collection(
            "server_names", "server names (SNI) in records", by: "providers", "RequestLog.serverNameLimit",
            beyond: "records name none"),
        .collection(
            "provider_token_teams", "teams whose new provider tokens are counted", by: "providers",
            "ProviderTokenValidator.mostTeams", beyond: "all others are counted as one"),
        .collection(
            "closed_connections", "closed connections", by: "providers", "Connections.closedLimit",
            beyond: "the oldest goes"),
        .collection(
            "self_registered_devices", "devices that registered themselves", by: "providers",
            "DeviceRegistry.selfRegisteredLimit",
            beyond: "the one pushed to longest ago goes, first of those that store and display nothing"),
        .collection(
            "declared_devices", "declared devices", by: "scenario, API", "DeviceRegistry.declaredLimit", beyond: "409"),
        .collection(
            "topics", "topics", by: "providers, scenario, API", "TopicTable.limit",
            remark: "; of pushes three quarters of it",
            beyond:
                "a mistake of the scenario, or 409; a device that registered itself accepts only topics beyond the limit"
        ),
        .collection(
            "topic_bytes", "texts of topics", by: "providers, scenario, API", "TopicTable.byteLimit", .bytes,
            remark: "; of pushes three quarters of it", beyond: "as for topics"),
        .collection(
            "stored_push_bytes", "pushes stored for devices", by: "providers", "MailboxStore.storedByteLimit", .bytes,
            beyond:
                "a device discards its oldest for another one, or this one if it stores none, as if that had expired"),
        .collection(
            "displayed_push_bytes", "notifications that devices display", by: "providers",
            "MailboxStore.displayedByteLimit", .bytes, beyond: "each device keeps its newest"),
        .collection(
            "channels", "broadcast channels", by: "providers, scenario, API", "BroadcastSettings.mostChannels",
            beyond: "CannotCreateChannelConfig, a mistake of the scenario, or 409"),
        .collection(
            "deleted_channels", "deleted channels", by: "providers, API", "ChannelRegistry.deletedLimit",
            beyond: "the oldest is forgotten, as if it had never existed"),
        .collection(
            "channel_push_bytes", "pushes to channels that devices may still show", by: "providers",
            "Subscriptions.byteLimit", .bytes, beyond: "each channel keeps its newest"),
        .collection(
            "rules", "rules", by: "scenario, API", "RuleBook.limit", beyond: "a mistake of the scenario, or 409"),
        .collection(
            "rule_bytes", "JSON of rules that were added", by: "API", "RuleBook.byteLimit", .bytes, beyond: "409"),
        .collection(
            "relay_differences", "groups of answers in which an upstream differs", by: "providers",
            "RelayDifferences.limit", beyond: "further differences are only counted"),
        .collection(
            "removed_rules", "names of removed rules, which a match or a report may name", by: "API",
            "RemovedRules.limit",
            beyond: "the oldest is forgotten"),
        .collection(
            "repeated_pushes", "repeated pushes with `every`", by: "API", "RepeatedPushes.limit",
            beyond: "409. They end with a reset, another scenario, and their session"),
        .collection("waits", "waits for requests", by: "API", "WaitTable.limit", beyond: "503"),
        .collection(
            "wait_patterns", "different waits with regular expressions", by: "API", "WaitTable.slowLimit", beyond: "503"
        ),
        .collection("event_streams", "event streams", by: "API", "EventStreams.limit", beyond: "503"),
        .collection(
            "unread_answer_bytes", "answers and events that clients have yet to read", by: "API",
            "UnreadAnswers.byteLimit", .bytes,
            beyond:
                "the connection that has waited longest is closed; so is each whose client reads nothing for 30 seconds"
        ),
        .collection(
            "revoked_certificates", "revoked certificates that were issued", by: "API", "Engine.revokedLimit",
            beyond: "409"),
        .collection("sessions", "sessions", by: "API", "Sessions.limit", beyond: "503"),
        .collection(
            "session_results", "results of the expectations of ended sessions", by: "API", "EndedSessionResults.limit",
            beyond: "only failures count, as one result"),
        .collection(
            "earlier_results", "results of expectations before a reset", by: "API", "EarlierResults.limit",
            beyond: "only failures count, as one result"),
        .collection(
            "unjudged_runs", "runs before a reset that are still judged", by: "API", "EarlierResults.unsettledLimit",
            beyond: "the reset waits until they are judged"),
    ]

    /// What is part of a record, a device, a connection, a channel, a rule or a session.
    static let parts: [LimitRow] = [
        .part("body in a record", by: "providers", "RequestLog.bodyLimit", .bytes, beyond: "cut"),
        .part("header fields in a record", by: "providers", "RequestLog.headerLimit", .bytes, beyond: "left out"),
        .part(
            "pushes stored for a device", by: "providers", "Mailbox.storedLimit",
            beyond: "the oldest is discarded, as if it had expired"),
        .part("notifications that a device displays", by: "providers", "Display.limit", beyond: "the oldest goes"),
        .part(
            "entries of a device's history", by: "providers, API", "DeviceHistory.limit", beyond: "the oldest goes"),
        .part(
            "apps of a device with a state of their own", by: "scenario, API", "Phone.appLimit",
            beyond: "a mistake, or 400"),
        .part(
            "pushes to a device before their payloads are parsed", by: "providers", "Display.unreadLimit",
            beyond: "they are parsed"),
        .part(
            "tokens of Live Activities that have gone", by: "providers", "ActivityTokens.expiredLimit",
            beyond: "the earliest is unknown again"),
        .part("Live Activities of a device", by: "providers, API", "LiveActivities.limit", beyond: "the oldest goes"),
        .part(
            "Live Activities of a device on channels", by: "providers, scenario, API", "Subscriptions.limitPerDevice",
            beyond: "the oldest goes"),
        .part(
            "pushes that a Live Activity ignored", by: "providers", "LiveActivity.ignoredLimit",
            beyond: "the oldest goes"),
        .part("pushes to a channel", by: "providers", "ChannelFeed.limit", beyond: "the oldest goes"),
        .part(
            "provider tokens that a connection remembers", by: "providers", "TokensOnConnection.longest",
            beyond: "the oldest gets a new number when it comes again"),
        .part(
            "provider tokens before the window of `providerTokenUpdates`", by: "providers",
            "ProviderTokenUpdateRate.longest", beyond: "the oldest is new when it comes again"),
        .part(
            "`allowed` of `providerTokenUpdates`", by: "scenario", "ProviderTokenUpdateRate.allowedLimit",
            beyond: "a mistake of the scenario"),
        .part(
            "values that a rule with `countPer` counts", by: "providers", "CountsOfValues.limit",
            beyond: "the oldest is counted anew"),
        .part(
            "texts of these", by: "providers", "CountsOfValues.byteLimit", .bytes, beyond: "the oldest is counted anew"),
        .part(
            "values that an expectation counts", by: "providers", "TallyLimit.values",
            beyond: "the expectation fails and says so"),
        .part(
            "requests that an expectation about order waits for", by: "providers", "TallyLimit.waiting",
            beyond: "the oldest counts as it is"),
        .part(
            "text of a connection, such as its certificate's subject", by: "providers", "KeptText.limit", .bytes,
            beyond: "cut, and says so"),
        .part("topics of its certificate", by: "providers", "KeptText.topics", .bytes, beyond: "left out"),
        .part(
            "streams that a client has skipped", by: "providers", "SkippedStreams.most", beyond: "the oldest goes"),
        .part(
            "SETTINGS frames that a client has not acknowledged", by: "scenario, API",
            "HTTP2Session.unacknowledgedSettingsLimit", beyond: "the latest stream limit waits"),
        .part(
            "GOAWAY frames that wait for a client to read", by: "scenario, API", "HTTP2Session.waitingGoAwaysLimit",
            .bytes,
            beyond: "no more are sent until it has"),
        .part("rules that never applied", by: "scenario, API", "UnusedRules.limit", beyond: "named as others"),
        .part(
            "regular expressions that are tracked", by: "scenario, API", "PatternContext.limit", beyond: "tracked anew"),
        .part(
            "starts of Live Activities of which a log has only one half", by: "a recorded log",
            "ServiceState.halfStartLimit", beyond: "the earliest goes"),
        .part(
            "topics in the event of a declared device", by: "API", "DeviceEvent.topicByteLimit", .bytes,
            beyond: "the log has no more of them"),
        .part("log of a session", by: "providers", "Sessions.logLimit", beyond: "the oldest goes"),
        .part("`repeat` of a push", by: "API", "AdminPush.repetitionLimit", beyond: "400"),
    ]

    /// What a call, a file or a text may have.
    static let inputs: [LimitRow] = [
        .part("scenario, or body with one", by: "scenario, API", "ScenarioResource.textLimit", .bytes, beyond: "413"),
        .part("body of a call", by: "API", "Request.bodyLimit", .bytes, beyond: "413"),
        .part("body of a wait", by: "API", "RequestsResource.waitLimit", .bytes, beyond: "413"),
        .part("values in a JSON text", by: "scenario, API", "JSONText.maximumValues", beyond: "a mistake, or 400"),
        .part("depth of a JSON text", by: "scenario, API", "JSONText.maximumDepth", beyond: "a mistake, or 400"),
        .part("signing keys of a scenario", by: "scenario", "DeclaredNames.keyLimit", beyond: "a mistake"),
        .part(
            "mistakes that are reported", by: "scenario", "ScenarioMistake.limit", beyond: "only that there are more"),
        .part(
            "files of authorities that a scenario names, in total, each at most 64 KiB", by: "scenario",
            "ScenarioFiles.authoritiesLimit", .bytes, beyond: "a mistake"),
        .part(
            "header fields of an answer of a rule", by: "scenario, API", "SendLimit.headerList", .bytes,
            beyond: "a mistake, or 400"),
        .part("name of such a field", by: "scenario, API", "SendLimit.fieldName", .bytes, beyond: "a mistake, or 400"),
        .part(
            "value of such a field", by: "scenario, API", "SendLimit.fieldValue", .bytes, beyond: "a mistake, or 400"),
        .part("body of such an answer", by: "scenario, API", "SendLimit.body", .bytes, beyond: "a mistake, or 400"),
        .part("text of a GOAWAY", by: "scenario, API", "SendLimit.goAwayText", .bytes, beyond: "a mistake, or 400"),
        .part("frames that a step sends", by: "scenario, API", "SendLimit.frames", beyond: "a mistake, or 400"),
        .part(
            "topics that a client certificate gets from a scenario", by: "scenario", "Scenario.certificateTopicLimit",
            beyond: "left out"),
        .part(
            "names in the server's certificate", by: "options", "CertificateAuthority.serverNameLimit",
            beyond: "the server does not start"),
        .part("regular expressions in a query", by: "API", "RequestsResource.patternLimit", beyond: "400"),
        .part("length of a regular expression", by: "scenario, API", "Pattern.longest", beyond: "a mistake, or 400"),
        .part("devices, channels or rules on a page", by: "API", "PageRequest.maximumLimit", beyond: "400"),
        .part("requests on a page", by: "API", "RequestQuery.maximumLimit", beyond: "400"),
        .part("pushes on a page of lint", by: "API", "PushFindingsQuery.maximumLimit", beyond: "400"),
        .part("buckets of a timeline", by: "API", "TimelineQuery.bucketLimit", beyond: "400"),
        .part("marks of a timeline", by: "providers, API", "TimelineMarks.limit", beyond: "the oldest are left out"),
        .part(
            "seconds of the timeline", by: "providers", "RequestTimeline.secondLimit",
            beyond: "the oldest become minutes"),
        .part("minutes of the timeline", by: "providers", "RequestTimeline.minuteLimit", beyond: "the oldest goes"),
        .part("text of a search", by: "API", "RequestSearch.lengthLimit", .bytes, beyond: "400"),
        .part("values of a field in a count", by: "API", "RequestCountQuery.valueLimit", beyond: "left out of `by`"),
        .part("topics in the summary", by: "providers", "Summary.topicLimit", beyond: "counted together"),
        .part("events a second on a stream", by: "providers, API", "EventStream.limit", beyond: "`lagged`"),
        .part(
            "warnings of a kind on standard error in 10 s", by: "providers", "RepeatedWarnings.limit",
            beyond: "counted in one line"),
        .part("line of a recorded log", by: "files", "LineSplitter.lineLimit", .bytes, beyond: "the log is refused"),
    ]

    /// What lint keeps.
    static let lint: [LimitRow] = [
        .part("findings", by: "providers", "LintReport.limit", beyond: "counted"),
        .part("findings in a payload", by: "providers", "PayloadLint.limit", beyond: "left out"),
        .part("findings in a JUnit report, for each rule", by: "providers", "LintSuite.limit", beyond: "counted"),
        .part("findings in a Markdown report", by: "providers", "LintVerdict.limit", beyond: "counted"),
        .part("Live Activities whose times are compared", by: "providers", "ActivityTimes.limit", beyond: "begun anew"),
        .part("channels that are left behind", by: "providers", "ChannelRules.limit", beyond: "left out"),
        .part(
            "connections that are judged at a time", by: "providers", "ConnectionRules.connectionLimit",
            beyond: "the oldest goes"),
        .part("topics of a provider token", by: "providers", "ProviderTokenRules.topicLimit", beyond: "left out"),
        .part(
            "pushes, devices and tokens that each rule remembers", by: "providers", "RecentTable.usualLimit",
            beyond: "the oldest goes"),
    ]

    /// What the members of a fleet keep.
    static let fleet: [LimitRow] = [
        .part(
            "frames of a replica in the engine", by: "providers", "FleetLimits.frameByteLimit", .bytes,
            beyond: "the oldest goes, which verdicts say"),
        .part(
            "changes and ordered pushes in the engine", by: "providers, API", "ControlStream.limit",
            beyond: "the oldest goes, and members that have not read it say so"),
        .part(
            "pushes in one entry of these", by: "providers", "OrderQueue.byteLimit", .bytes, beyond: "another entry"),
        .part(
            "answers to calls in the engine", by: "API", "FleetReplica.reportLimit", beyond: "the oldest goes"),
        .part("reply of the engine", by: "the engine", "ReplyMeter.byteLimit", .bytes, beyond: "the link is closed"),
        .part("values in a reply", by: "the engine", "ReplyMeter.valueLimit", beyond: "the link is closed"),
        .part("line of a reply", by: "the engine", "ReplyMeter.lineLimit", .bytes, beyond: "the link is closed"),
        .part("calls that a member remembers", by: "API", "SeenCalls.limit", beyond: "the oldest half goes"),
        .part("events in a frame", by: "providers", "ReplicaFrame.eventLimit", beyond: "another frame"),
        .part("texts in a frame", by: "providers", "FrameInput.textLimit", .bytes, beyond: "another frame"),
        .part(
            "frames of a replica that wait to be merged", by: "providers", "FleetMerge.frameLimit", beyond: "read later"
        ),
    ]

    /// What the commands keep.
    static let commands: [LimitRow] = [
        .part(
            "messages until the command of `exec` has ended", by: "providers", "HeldMessages.limit", beyond: "left out"),
        .part(
            "answer of the server that a command reads", by: "the server", "AdminClient.bodyLimit", .bytes,
            beyond: "the command fails"),
        .part(
            "standard error of a driver", by: "drivers", "DriverErrors.limit", .bytes, beyond: "the driver is killed"),
        .part(
            "what a probe reads of a server", by: "the server", "ProbeSocket.allowance", .bytes,
            beyond: "the probe fails and says so"),
        .part("elements of a list in its answer", by: "the server", "ProbeConnection.listLimit", beyond: "counted"),
        .part("errors of a driver in a report", by: "drivers", "DriverStatuses.errorLimit", beyond: "left out"),
    ]

    /// The sections of the article.
    static let sections: [(title: String, rows: [LimitRow])] = [
        ("What a server keeps", collections), ("Within one of these", parts), ("What comes in at a time", inputs),
        ("Lint", lint), ("Fleets", fleet), ("Commands", commands),
    ]

    /// Limits in `Sources` that bound no collection that grows.
    static let notCollections: Set<String> = [
        // Sizes of what APNs accepts.
        "PushType.payloadLimitForBroadcast", "PushType.payloadLimit", "PushType.payloadLimitForVoIP",
        "RequestContext.collapseIDLimit", "Topic.longest", "Topic.longestName",
        // Times.
        "ChannelFeed.longestStorage", "DeliveryPolicy.longestStorage", "Step.Delay.longest", "LiveActivity.longestLife",
        "LiveActivity.longestRest", "AwaitedRequests.longestTimeout", "LingeringClose.limit", "ProbeRun.cleanupLimit",
        "FleetCoordinator.longestAnswer", "App.Extension.longestTime", "TimelineMarks.longestPause",
        // Defaults of what is a limit elsewhere.
        "PageRequest.defaultLimit", "RequestQuery.defaultLimit",
        // Sizes and times of a relay.
        "HTTP2ClientSession.answerLimit", "HTTP2ClientSession.noLimit", "RelayTarget.bodyLimit",
        "UpstreamConnection.connectLimit",
        "ProxyHandler.timeLimit",
        // Parts of a scenario that is made of a run.
        "RunSteps.limit", "RunWorkload.mostTimes",
        // A path.
        "PathPrefix.longest",
        // The parts of a collection that has a row.
        "TopicTable.pushedLimit", "TopicTable.pushedByteLimit",
        // How much is done at a time, or tried in vain.
        "FolderLock.attemptLimit", "LoopRounds.limit", "BackgroundWork.longestSmallText", "Turn.longestStride",
        "ConnectionHandler.Drip.limit", "EventStream.sliceLimit", "PatternContext.undecidedLimit",
        "FleetReplica.bodyLimit", "ProbeRun.silenceLimit", "HTTP1Sniffer.searchLimit", "ReceivedRequest.usualLimit",
        "TLSConnection.foreignStartLimit",
        // Rules of lint about limits, and what they compare with.
        "LintRule.payloadNearLimit", "LintRule.streamLimitIgnored", "LintThreshold.nearLimitPercent",
        "LintThreshold.streamLimitNotice",
        // How much is shown of something.
        "KeyPermissions.longestList", "Report.explanationLimit", "DeliveryStep.most", "UndecidedMatches.limit",
        "RequestRow.limit",
        "TruncatedLine.limit", "FieldNames.limit", "ProbeConnection.nameLimit", "JSONReader.forgivenLimit",
        "JSONText.maximumMinifiedDepth",
        // What a reader of frames and logs believes.
        "FrameTotals.countLimit", "AppliedRules.countLimit", "RequestRecord.frameLimit",
        "OrderedPush.batchLimit", "OrderedPush.Content.byteLimit",
        "ReplicaIndex.nameLimit", "RecordedRun.largestGap",
        // Sizes that follow from a format.
        "LatencyHistogram.largest", "PatternItem.longestCharacter", "HTTP2Frame.longestPayload",
        "ECDSASignature.maximumDERCount", "UnindexedFields.longestValue", "UnindexedFields.largestBlock",
        "SendLimit.headerField",
        // Stream limits.
        "StreamLimit.unacknowledged",
        // Words.
        "TallyLimit.words",
    ]
}
