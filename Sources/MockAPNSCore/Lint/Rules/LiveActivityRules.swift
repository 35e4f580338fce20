// Live Activities, started, updated and ended on `/3/device` or on a channel.
extension PayloadLint {
    private typealias Event = LiveActivityPush.Event
    /// 2001, from which Swift counts the seconds of a `Date`, in seconds since 1970.
    private static let referenceDate: Int64 = 978_307_200

    mutating func checkLiveActivity(_ times: inout ActivityTimes) {
        checkDates()
        guard isLiveActivity else { return }
        let event = aps[.event]?.string.flatMap(Event.init(rawValue:))
        if event == nil {
            reportAbsentOrWrong(.liveactivityEvent, .event)
        }
        if aps[.timestamp]?.number == nil { reportAbsentOrWrong(.liveactivityTimestamp, .timestamp) }
        checkTime(event, &times)
        if let event { checkState(event) }
        if event == .start { checkStart() }
        checkInputPush(event)
        checkOrder(event)
        if push.priority == "1", !push.isBroadcast {
            report(
                .liveactivityPriority, at: "", 0, "apns-priority is 1 for a push of type liveactivity; expected 5 or 10"
            )
        }
        if event == .start, push.isBroadcast, let value = aps[.event] {
            report(
                .broadcastStart, at: "/aps/event", value.offset,
                "/aps/event is start in a broadcast; expected update or end")
        }
    }

    private mutating func reportAbsentOrWrong(_ rule: LintRule, _ key: ApsKey, severity: LintSeverity? = nil) {
        let value = aps[key]
        let pointer = "/aps/\(key.rawValue)"
        report(
            rule, at: value == nil ? "/aps" : pointer, value?.offset ?? aps.offset, severity: severity,
            "\(value.map { "\(pointer) is \($0.asFound)" } ?? "/aps has no \"\(key.rawValue)\""); expected \(key.facts.takes)"
        )
    }

    /// Times are counted in seconds since 1970: not in milliseconds, not since 2001, not written out.
    private mutating func checkDates() {
        for key in [ApsKey.timestamp, .staleDate, .dismissalDate] {
            // What is null is not there.
            guard let value = aps[key], !value.isNull else { continue }
            let pointer = "/aps/\(key.rawValue)"
            guard let seconds = value.double else {
                // A timestamp that is neither has a rule of its own.
                if key != .timestamp || value.string != nil {
                    reportType(.dateNotSeconds, at: pointer, value, takes: key.facts.takes)
                }
                continue
            }
            let known = settings.seconds(from: .datesFrom, to: .datesTo)
            guard !(known ~= seconds) else { continue }
            let isLate = seconds > known.upperBound
            let hint = isLate ? "it seems to be in milliseconds" : "it seems to count from 2001, Apple's reference date"
            report(
                .dateNotSeconds, at: pointer, value.offset,
                "\(pointer) is \(value.asFound); expected \(key.facts.takes), and \(hint)")
        }
    }

    private mutating func checkTime(_ event: Event?, _ times: inout ActivityTimes) {
        guard let value = aps[.timestamp], let timestamp = value.double,
            settings.seconds(from: .datesFrom, to: .datesTo) ~= timestamp
        else { return }
        let before = push.recipient.flatMap { times.note(timestamp, for: $0, isToLast: push.isAccepted) }
        let now = push.clock.map { Double($0.milliseconds) / 1000 }
        let oldest = now.map { $0 - Double(settings.value(of: .timestampPast)) / 1000 }
        if event == .update {
            if let before, timestamp < before {
                report(
                    .timestampPast, at: "/aps/timestamp", value.offset,
                    "/aps/timestamp is \(value.asFound), and the push before it had \(Int64(before)); expected "
                        + "the current time")
            } else if let now, let oldest, timestamp < oldest {
                report(
                    .timestampPast, at: "/aps/timestamp", value.offset,
                    "/aps/timestamp is \(value.asFound), which is \((now - timestamp).asTime) before the clock; "
                        + "expected the current time")
            }
        }
        if let now, timestamp > now + Double(settings.value(of: .timestampFuture)) / 1000 {
            report(
                .timestampFuture, at: "/aps/timestamp", value.offset,
                "/aps/timestamp is \(value.asFound), which is \((timestamp - now).asTime) ahead of the clock; "
                    + "expected the current time")
        }
    }

    private mutating func checkState(_ event: Event) {
        let state = aps[.contentState]
        if state?.object == nil {
            reportAbsentOrWrong(.contentStateType, .contentState, severity: event == .end && state == nil ? .note : nil)
        }
        if let state {
            var path = ["aps", "content-state"]
            checkStateDates(state, &path)
        }
    }

    private mutating func checkStateDates(_ value: JSONText.Value, _ path: inout [String]) {
        switch value.content {
        case .object(let members):
            for member in members {
                path.append(member.key)
                checkStateDates(member.value, &path)
                path.removeLast()
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                path.append(String(index))
                checkStateDates(element, &path)
                path.removeLast()
            }
        case .string(let text) where text.isTimeOfISO8601:
            let pointer = JSONPointer(path).description
            report(
                .contentStateDate, at: pointer, value.offset,
                "\(pointer.asShownPointer) is \(value.asFound); expected a number of seconds since 2001, unless the app "
                    + "decodes strings")
        case .number(let number):
            guard let seconds = number.double?.secondsOfOurDays else { return }
            let pointer = JSONPointer(path).description
            report(
                .contentStateDate, at: pointer, value.offset,
                "\(pointer.asShownPointer) is \(value.asFound), which looks like a time since 1970; if it is one, expected "
                    + "\(Int64(seconds) - Self.referenceDate), the seconds since 2001")
        default: break
        }
    }

    private mutating func checkStart() {
        let missing = [ApsKey.alert, .attributesType, .attributes].filter { aps[$0] == nil }
        if !missing.isEmpty {
            let names = missing.map { "\"\($0.rawValue)\"" }.joined(separator: " and no ")
            report(.startIncomplete, at: "/aps", aps.offset, "/aps has no \(names); expected all that a start needs")
        }
        if let value = aps[.attributes], value.object == nil {
            reportType(.startIncomplete, at: "/aps/attributes", value, takes: "an object")
        }
        guard let value = aps[.alert] else { return }
        let isEmpty = value.string?.isEmpty ?? (alert.isObject && !hasTexts([.title, .body, .titleLocKey, .locKey]))
        if isEmpty {
            report(
                .startAlertEmpty, at: "/aps/alert", value.offset,
                "/aps/alert has no title and no body; expected both")
        }
    }

    private mutating func checkInputPush(_ event: Event?) {
        let (channel, token) = (aps[.inputPushChannel], aps[.inputPushToken])
        if let token, !token.isNumber(1) {
            reportType(.inputPush, at: "/aps/input-push-token", token, takes: "the number 1")
        } else if let token, channel != nil {
            report(
                .inputPush, at: "/aps/input-push-token", token.offset,
                "/aps has \"input-push-token\" and \"input-push-channel\"; expected one of them")
        }
        if let channel {
            let bytes = channel.string.map { Array($0.utf8) } ?? []
            if bytes.isEmpty || Base64URL.decode(bytes.span) == nil {
                reportType(
                    .inputPush, at: "/aps/input-push-channel", channel, takes: ApsKey.inputPushChannel.facts.takes)
            }
        }
        guard event != .start, event != nil else { return }
        for key in [ApsKey.inputPushChannel, .inputPushToken] {
            guard let value = aps[key] else { continue }
            report(
                .inputPush, at: "/aps/\(key.rawValue)", value.offset,
                "/aps/\(key.rawValue) is in an \(event?.rawValue ?? ""); it belongs in a start")
        }
    }

    private mutating func checkOrder(_ event: Event?) {
        let timestamp = aps[.timestamp]?.double
        if let value = aps[.dismissalDate] {
            let limit = settings.value(of: .dismissalAfterEnd)
            if event != .end {
                report(
                    .dismissalWithoutEnd, at: "/aps/dismissal-date", value.offset,
                    "/aps/dismissal-date is there, and the event is \(event?.rawValue ?? "none"); expected it only with end"
                )
            } else if let date = value.double, let timestamp, date > timestamp + Double(limit) / 1000 {
                report(
                    .dismissalWithoutEnd, at: "/aps/dismissal-date", value.offset, severity: .note,
                    "/aps/dismissal-date is \((date - timestamp).asTime) after the timestamp; expected at most "
                        + "\(limit.asTime)")
            }
        }
        if let value = aps[.staleDate], let stale = value.double, let timestamp, stale <= timestamp {
            let than = aps[.timestamp]?.asFound ?? ""
            report(
                .staleBeforeTimestamp, at: "/aps/stale-date", value.offset,
                "/aps/stale-date is \(value.asFound), and /aps/timestamp is \(than); expected a later time")
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
