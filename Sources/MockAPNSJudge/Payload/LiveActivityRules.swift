import MockAPNSCore

// Live Activities, started, updated and ended on `/3/device` or on a channel.
extension LintRule {
    static let liveActivityRules = [
        liveactivityEvent, liveactivityTimestamp, dateNotSeconds, timestampPast, timestampFuture, contentStateType,
        contentStateDate, startIncomplete, startAlertEmpty, startWithoutUpdates,
        activityLocKey, inputPush, dismissalWithoutEnd, staleBeforeTimestamp,
        liveactivityPriority, broadcastStart,
    ]

    static let liveactivityEvent = LintRule(
        id: "liveactivity-event", severity: .error, finds: "`event` is absent, or is not `start`, `update` or `end`",
        effect: "The device drops it; its log says that the payload does not contain an event type.",
        sources: [.liveActivities, .reported("parse-community/node-apn#133")],
        check: PayloadCheck(.liveActivity) { lint in
            guard lint.event == nil else { return }
            lint.reportAbsentOrWrong(.event)
        })

    static let liveactivityTimestamp = LintRule(
        id: "liveactivity-timestamp", severity: .error, finds: "`timestamp` is absent, or is not a number",
        effect: "The device drops it.", sources: [.liveActivities],
        check: PayloadCheck(.liveActivity) { lint in
            guard lint.aps[.timestamp]?.number == nil else { return }
            lint.reportAbsentOrWrong(.timestamp)
        })

    static let dateNotSeconds = LintRule(
        id: "date-not-seconds", severity: .error,
        finds: "`timestamp`, `stale-date` or `dismissal-date` is not a number of seconds since 1970, but since 2001, "
            + "in milliseconds or written out",
        effect: "The device takes it for another time, or drops the push.", sources: [.liveActivities, .judgement],
        thresholds: [.datesFrom, .datesTo],
        check: PayloadCheck(.aps) { lint in
            for key in [ApsKey.timestamp, .staleDate, .dismissalDate] {
                // A null value counts as absent.
                guard let value = lint.aps[key], !value.isNull else { continue }
                let pointer = "/aps/\(key.rawValue)"
                guard let seconds = value.double else {
                    // A timestamp that is neither has a rule of its own.
                    if key != .timestamp || value.string != nil {
                        lint.report(at: pointer, value, expected: key.facts.takes)
                    }
                    continue
                }
                let known = lint.settings.seconds(from: .datesFrom, to: .datesTo)
                guard !(known ~= seconds) else { continue }
                let isLate = seconds > known.upperBound
                let hint =
                    isLate ? "it seems to be in milliseconds" : "it seems to count from 2001, Apple's reference date"
                lint.report(at: pointer, value, expected: "\(key.facts.takes), and \(hint)")
            }
        })

    static let timestampPast = LintRule(
        id: "timestamp-past", severity: .error,
        finds: "an update that is older than the last one for the token or channel, or more than 60 s before the clock",
        effect: "The device drops it; only an end would still count.", sources: [.liveActivityForum],
        thresholds: [.timestampPast],
        check: PayloadCheck(.liveActivity) { lint in
            guard let (value, timestamp) = lint.timestamp else { return }
            let before = lint.push.recipient.flatMap {
                lint.times.note(timestamp, for: $0, isToLast: lint.push.isAccepted)
            }
            guard lint.event == .update else { return }
            if let before, timestamp < before {
                lint.report(
                    at: "/aps/timestamp", value.offset,
                    "/aps/timestamp is \(value.asFound), and the push before it had \(Int64(before)); expected "
                        + "the current time")
            } else if let now = lint.now,
                timestamp < now - Double(lint.settings.value(of: .timestampPast)) / 1000
            {
                lint.report(
                    at: "/aps/timestamp", value.offset,
                    "/aps/timestamp is \(value.asFound), which is \((now - timestamp).asTime) before the clock; "
                        + "expected the current time")
            }
        })

    static let timestampFuture = LintRule(
        id: "timestamp-future", severity: .error, finds: "a timestamp more than 8 h ahead of the clock",
        effect: "The device drops an update like that, and after such a start all updates with the right time.",
        sources: [.liveActivityForum], thresholds: [.timestampFuture],
        check: PayloadCheck(.liveActivity) { lint in
            guard let (value, timestamp) = lint.timestamp, let now = lint.now,
                timestamp > now + Double(lint.settings.value(of: .timestampFuture)) / 1000
            else { return }
            lint.report(
                at: "/aps/timestamp", value.offset,
                "/aps/timestamp is \(value.asFound), which is \((timestamp - now).asTime) ahead of the clock; "
                    + "expected the current time")
        })

    static let contentStateType = LintRule(
        id: "content-state-type", severity: .error,
        finds: "`content-state` of an `update` or `end` is absent, or is not an object; its absence from an `end` is a "
            + "note",
        effect: "The Live Activity shows nothing new.", sources: [.liveActivities],
        check: PayloadCheck(.liveActivity) { lint in
            let state = lint.aps[.contentState]
            guard let event = lint.event, event != .start, state?.object == nil else { return }
            lint.reportAbsentOrWrong(.contentState, severity: event == .end && state == nil ? .note : nil)
        })

    static let contentStateDate = LintRule(
        id: "content-state-date", severity: .note,
        finds: "a value of `content-state` that looks like ISO 8601, or like a time of our days since 1970",
        effect: "By default an app decodes a Date from seconds since 2001: a string fails, and seconds since 1970 "
            + "become a date 31 years later.",
        sources: [.liveActivities, .reported("istornz/flutter_live_activities#118")],
        check: PayloadCheck(.liveActivity) { lint in
            guard lint.event != nil, let state = lint.aps[.contentState] else { return }
            var path = ["aps", "content-state"]
            lint.checkDates(in: state, &path)
        })

    static let startIncomplete = LintRule(
        id: "start-incomplete", severity: .error,
        finds: "a start without `alert`, `attributes-type`, `attributes` or `content-state`",
        effect: "Nothing is started.", sources: [.liveActivities],
        check: PayloadCheck(.liveActivity) { lint in
            guard lint.event == .start else { return }
            let missing = [ApsKey.alert, .attributesType, .attributes, .contentState].filter { lint.aps[$0] == nil }
            if !missing.isEmpty {
                let names = missing.map { "\"\($0.rawValue)\"" }.joined(separator: " and no ")
                lint.report(
                    at: "/aps", lint.aps.offset, "/aps has no \(names); expected all that a start needs")
            }
            for key in [ApsKey.attributes, .contentState] {
                guard let value = lint.aps[key], value.object == nil else { continue }
                lint.report(at: "/aps/\(key.rawValue)", value, expected: "an object")
            }
        })

    static let startAlertEmpty = LintRule(
        id: "start-alert-empty", severity: .error, finds: "a start with an alert without title and body",
        effect: "Nothing is started: such a start was seen not to arrive.",
        sources: [.reported("swift-server-community/APNSwift#232")],
        check: PayloadCheck(.liveActivity) { lint in
            // The keys of a notification's alert, such as "title-loc-key", are none of a Live Activity's.
            guard lint.event == .start, let value = lint.aps[.alert], !LiveActivityAlert.isSomethingToRead(value),
                value.string != nil || value.object != nil
            else { return }
            lint.report(
                at: "/aps/alert", value.offset, "/aps/alert has no title and no body; expected both")
        })

    static let startWithoutUpdates = LintRule(
        id: "start-without-updates", severity: .note,
        finds: "a start with neither `input-push-token` nor `input-push-channel`",
        effect: "No push updates the Live Activity.", sources: [.liveActivities],
        check: PayloadCheck(.liveActivity) { lint in
            guard lint.event == .start, lint.aps[.inputPushToken] == nil, lint.aps[.inputPushChannel] == nil else {
                return
            }
            lint.report(
                at: "/aps", lint.aps.offset,
                "/aps has no \"input-push-token\" and no \"input-push-channel\"; expected one of them")
        })

    static let activityLocKey = LintRule(
        id: "activity-loc-key", severity: .warning,
        finds: "`title-loc-key`, `loc-key` or their arguments in the alert of a Live Activity",
        effect: "They are ignored: there, `title` and `body` may each be an object with `loc-key` and `loc-args`.",
        sources: [.liveActivities],
        check: PayloadCheck(.liveActivity) { lint in
            for key in AlertKey.ofLocalizedTexts {
                guard let value = lint.alert[key] else { continue }
                lint.report(at: "/aps/alert/\(key.rawValue)", value, expected: "no such key in a Live Activity")
            }
        })

    static let inputPush = LintRule(
        id: "input-push", severity: .error,
        finds: "`input-push-token` is not 1, or is beside `input-push-channel`; one of them is not in a start; or "
            + "the channel is not base64",
        effect: "The Live Activity gets no pushes.", sources: [.liveActivities],
        check: PayloadCheck(.liveActivity) { lint in
            let (channel, token) = (lint.aps[.inputPushChannel], lint.aps[.inputPushToken])
            if let token, !token.isNumber(1) {
                lint.report(at: "/aps/input-push-token", token, expected: "the number 1")
            } else if let token, channel != nil {
                lint.report(
                    at: "/aps/input-push-token", token.offset,
                    "/aps has \"input-push-token\" and \"input-push-channel\"; expected one of them")
            }
            if let channel {
                let bytes = channel.string.map { Array($0.utf8) } ?? []
                if bytes.isEmpty || Base64URL.decode(bytes.span) == nil {
                    lint.report(at: "/aps/input-push-channel", channel, expected: ApsKey.inputPushChannel.facts.takes)
                }
            }
            guard let event = lint.event, event != .start else { return }
            for key in [ApsKey.inputPushChannel, .inputPushToken] {
                guard let value = lint.aps[key] else { continue }
                lint.report(
                    at: "/aps/\(key.rawValue)", value.offset,
                    "/aps/\(key.rawValue) is in an \(event.rawValue); it belongs in a start")
            }
        })

    static let dismissalWithoutEnd = LintRule(
        id: "dismissal-without-end", severity: .warning,
        finds: "`dismissal-date` without event `end`; one more than 4 h after the end is a note",
        effect: "Only an end is dismissed, and after 4 h the system removes it anyway.", sources: [.liveActivities],
        thresholds: [.dismissalAfterEnd],
        check: PayloadCheck(.liveActivity) { lint in
            guard let value = lint.aps[.dismissalDate] else { return }
            let limit = lint.settings.value(of: .dismissalAfterEnd)
            if lint.event != .end {
                lint.report(
                    at: "/aps/dismissal-date", value.offset,
                    "/aps/dismissal-date is there, and the event is \(lint.event?.rawValue ?? "none"); expected it only "
                        + "with end")
            } else if let date = value.double, let timestamp = lint.aps[.timestamp]?.double,
                date > timestamp + Double(limit) / 1000
            {
                lint.report(
                    at: "/aps/dismissal-date", value.offset, severity: .note,
                    "/aps/dismissal-date is \((date - timestamp).asTime) after the timestamp; expected at most "
                        + "\(limit.asTime)")
            }
        })

    static let staleBeforeTimestamp = LintRule(
        id: "stale-before-timestamp", severity: .warning, finds: "`stale-date` is not after `timestamp`",
        effect: "The Live Activity is out of date from the beginning.", sources: [.judgement],
        check: PayloadCheck(.liveActivity) { lint in
            guard let value = lint.aps[.staleDate], let stale = value.double, let timestamp = lint.aps[.timestamp],
                let time = timestamp.double, stale <= time
            else { return }
            lint.report(
                at: "/aps/stale-date", value.offset,
                "/aps/stale-date is \(value.asFound), and /aps/timestamp is \(timestamp.asFound); expected a later time"
            )
        })

    static let liveactivityPriority = LintRule(
        id: "liveactivity-priority", severity: .warning, finds: "priority 1 for a Live Activity",
        effect: "Live Activities take 5 or 10.", sources: [.liveActivities],
        check: PayloadCheck(.liveActivity) { lint in
            guard lint.push.priority == "1", !lint.push.isBroadcast else { return }
            lint.report(at: "", 0, "apns-priority is 1 for a push of type liveactivity; expected 5 or 10")
        })

    static let broadcastStart = LintRule(
        id: "broadcast-start", severity: .error, finds: "event `start` on a channel",
        effect: "A channel reaches only Live Activities that have already started.", sources: [.liveActivities],
        check: PayloadCheck(.liveActivity) { lint in
            guard lint.event == .start, lint.push.isBroadcast, let value = lint.aps[.event] else { return }
            lint.report(
                at: "/aps/event", value.offset, "/aps/event is start in a broadcast; expected update or end")
        })
}

extension LintThreshold {
    /// How old the timestamp of an update may be.
    static let timestampPast = Self(name: "timestampPast", kind: .duration, usual: 60_000)
    /// How far ahead a timestamp may be.
    static let timestampFuture = Self(name: "timestampFuture", kind: .duration, usual: 8 * 3_600_000)
    /// From when on a date of a Live Activity is in seconds since 1970, and not since 2001.
    static let datesFrom = Self(name: "datesFrom", kind: .time, usual: 1_000_000_000)
    /// Until when it is, and not in milliseconds.
    static let datesTo = Self(name: "datesTo", kind: .time, usual: 100_000_000_000)
    /// How long after its end a Live Activity can be kept on the Lock Screen.
    static let dismissalAfterEnd = Self(name: "dismissalAfterEnd", kind: .duration, usual: 4 * 3_600_000)
}

extension PayloadLint {
    /// 2001, from which Swift counts the seconds of a `Date`, in seconds since 1970.
    private static let referenceDate: Int64 = 978_307_200

    /// The timestamp, if it is in seconds since 1970.
    fileprivate var timestamp: (value: JSONText.Value, seconds: Double)? {
        guard let value = aps[.timestamp], let seconds = value.double,
            settings.seconds(from: .datesFrom, to: .datesTo) ~= seconds
        else { return nil }
        return (value, seconds)
    }

    /// The clock, in seconds since 1970.
    fileprivate var now: Double? { push.clock.map { Double($0.milliseconds) / 1000 } }

    /// Looks for times in a part of `content-state`.
    fileprivate mutating func checkDates(in value: JSONText.Value, _ path: inout [String]) {
        switch value.content {
        case .object(let members):
            for member in members {
                path.append(member.key)
                checkDates(in: member.value, &path)
                path.removeLast()
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                path.append(String(index))
                checkDates(in: element, &path)
                path.removeLast()
            }
        case .string(let text) where text.isTimeOfISO8601:
            report(
                at: JSONPointer(path).description, value,
                expected: "a number of seconds since 2001, unless the app decodes strings")
        case .number(let number):
            guard let seconds = number.double?.secondsOfOurDays else { return }
            let pointer = JSONPointer(path).description
            report(
                at: pointer, value.offset,
                "\(pointer.asShownPointer) is \(value.asFound), which looks like a time since 1970; if it is one, expected "
                    + "\(Int64(seconds) - Self.referenceDate), the seconds since 2001")
        default: break
        }
    }
}

extension Double {
    /// Seconds as people say them: `90 s`, `6.7 h`. The maximum is 30,000 years.
    fileprivate var asTime: String { Int64(Swift.min(self, 1e12) * 1000).asTime }

    /// The seconds, if they, or milliseconds, lead from 1970 to a time between 2014 and 2039.
    fileprivate var secondsOfOurDays: Double? {
        let known = 1.4e9..<2.2e9
        return known ~= self ? self : known ~= self / 1000 ? self / 1000 : nil
    }
}

extension String {
    /// Whether it is a time as in ISO 8601: `2026-11-22T09:30Z`.
    fileprivate var isTimeOfISO8601: Bool {
        guard 16...40 ~= utf8.count else { return false }
        for (byte, wanted) in zip(utf8, "0000-00-00T00:00".utf8) {
            let isDigit = UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            guard wanted == UInt8(ascii: "0") ? isDigit : byte == wanted else { return false }
        }
        return utf8.dropFirst(16).allSatisfy { "0123456789:.,+-Zz".utf8.contains($0) }
    }
}
