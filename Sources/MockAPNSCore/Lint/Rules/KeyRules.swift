// Keys: unknown, misspelled, deprecated, too new, for other push types.
extension PayloadLint {
    mutating func checkKeys() {
        checkKeys(aps, in: "/aps")
        checkKeys(alert, in: "/aps/alert")
        if let sound = aps[.sound] { checkKeys(KnownMembers<SoundKey>(sound), in: "/aps/sound") }
        checkURLArguments()
    }

    private mutating func checkKeys<Key>(_ object: KnownMembers<Key>, in parent: String) {
        for member in object.all {
            if let key = Key(rawValue: member.key) {
                checkFacts(of: key, member, "\(parent)/\(key.rawValue)")
            } else if let key = Key.nearMiss(of: member.key) {
                let (name, container) = (member.key.cut(at: 80).quotedForPeople, parent.dropFirst())
                report(
                    .keyMisspelled, at: parent + member.key.asPointerPart, member.keyOffset,
                    "\(name) is not a key of \(container); did you mean \"\(key.rawValue)\"?")
            } else if Key.self == ApsKey.self, member.key != "aps" || member.value.object == nil {
                // An object of that name is reported by aps-nested.
                let hint = AlertKey(rawValue: member.key) == nil ? "" : ", but one of \"alert\""
                report(
                    .apsUnknownKey, at: parent + member.key.asPointerPart, member.keyOffset,
                    "\(member.key.cut(at: 80).quotedForPeople) is not a key of aps\(hint)")
            }
        }
    }

    private mutating func checkFacts(of key: some PayloadKey, _ member: JSONText.Member, _ pointer: String) {
        let facts = key.facts
        if let instead = facts.insteadUse {
            report(
                .keyDeprecated, at: pointer, member.keyOffset,
                "\(pointer) is deprecated; use \(instead)")
        }
        if let target = settings.deploymentTarget, let since = since(key, member.value), since > target {
            let what = since == facts.since ? "\(pointer) is" : "\(pointer) is \(member.value.asFound), which is"
            report(
                .keyTooNew, at: pointer, member.keyOffset,
                "\(what) known since \(since), and the deployment target is \(target); expected a push that is of use "
                    + "without it")
        }
        guard let type, let types = facts.types, !types.contains(type), !isForBackgroundRules(types) else { return }
        let hint =
            typeOrigin == .payload && types == .liveActivity
            ? "; nothing says which push type this is, so by its keys it is taken for \(type.name)" : ""
        report(
            .keyWrongPushType, at: pointer, member.keyOffset,
            "\(pointer) is in a push of type \(type.name); expected it only with \(types.names)\(hint)")
    }

    /// Returns whether other rules judge the key: those for keys of alerts in a background push.
    private func isForBackgroundRules(_ types: PushTypes) -> Bool { type == .background && types.contains(.alert) }

    /// Returns the first system that knows a key with that value and for this push type.
    private func since(_ key: some PayloadKey, _ value: JSONText.Value) -> SystemVersion? {
        switch key as? ApsKey {
        case .event where value.string == LiveActivityPush.Event.start.rawValue: SystemVersion(17, 2)
        case .contentChanged where type == .widgets: SystemVersion(26)
        default: key.facts.since
        }
    }

    /// `url-args` is for web pages, whose topics begin with `web.`; nothing is said where the topic is not known.
    private mutating func checkURLArguments() {
        guard let value = aps[.urlArgs], let topic = push.topic, !topic.hasPrefix("web.") else { return }
        report(
            .keyWrongPushType, at: "/aps/url-args", value.offset,
            "/aps/url-args is in a push for \(topic.cut(at: 80).quotedForPeople); expected a topic that begins with \"web.\""
        )
    }
}
