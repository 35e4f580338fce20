import MockAPNSCore

// Keys: unknown, misspelled, deprecated, too new, for other push types.
extension LintRule {
    static let keyRules = [apsUnknownKey, keyMisspelled, keyDeprecated, keyTooNew, keyWrongPushType]

    static let apsUnknownKey = LintRule(
        id: "aps-unknown-key", severity: .warning, finds: "a key in `aps` that Apple does not document",
        effect: "It is ignored; keys of your own go beside aps.", sources: [.generating, .reported("python-apns#21")],
        check: PayloadCheck(.aps) { lint in
            for key in lint.keys where key.facts == nil && key.meant == nil && key.parent == "/aps" {
                let member = key.member
                // An object of that name is reported by aps-nested.
                if member.key == "aps", member.value.object != nil { continue }
                let hint = AlertKey(rawValue: member.key) == nil ? "" : ", but one of \"alert\""
                lint.report(
                    at: key.pointer, member.keyOffset,
                    "\(member.key.cut(at: 80).quotedForPeople) is not a key of aps\(hint)")
            }
        })

    static let keyMisspelled = LintRule(
        id: "key-misspelled", severity: .error, finds: "a key of `aps`, `alert` or `sound` that looks like a known one",
        effect: "It is ignored.",
        sources: [.reported("net-core-push-notifications#9, kalyke#430, parse-community/node-apn#133")],
        check: PayloadCheck(.aps) { lint in
            for key in lint.keys {
                guard let meant = key.meant else { continue }
                lint.report(
                    at: key.pointer, key.member.keyOffset,
                    "\(key.member.key.cut(at: 80).quotedForPeople) is not a key of \(key.parent.dropFirst()); "
                        + "did you mean \"\(meant)\"?")
            }
        })

    static let keyDeprecated = LintRule(
        id: "key-deprecated", severity: .note, finds: "a key that newer systems no longer use",
        effect: "Newer systems ignore it.", sources: [.guide],
        check: PayloadCheck(.aps) { lint in
            for key in lint.keys {
                guard let instead = key.facts?.insteadUse else { continue }
                lint.report(at: key.pointer, key.member.keyOffset, "\(key.pointer) is deprecated; use \(instead)")
            }
        })

    static let keyTooNew = LintRule(
        id: "key-too-new", severity: .note, finds: "a key that the deployment target does not support yet",
        effect: "Older systems ignore it.", sources: [.judgement],
        check: PayloadCheck(.aps) { lint in
            guard let target = lint.settings.deploymentTarget else { return }
            for key in lint.keys {
                guard let since = lint.since(key), since > target else { continue }
                let pointer = key.pointer
                let what =
                    since == key.facts?.since ? "\(pointer) is" : "\(pointer) is \(key.member.value.asFound), which is"
                lint.report(
                    at: pointer, key.member.keyOffset,
                    "\(what) known since \(since), and the deployment target is \(target); expected a push that is of use "
                        + "without it")
            }
        })

    static let keyWrongPushType = LintRule(
        id: "key-wrong-push-type", severity: .warning, finds: "a known key that is for other push types only",
        effect: "It is ignored for this type.", sources: [.generating],
        check: PayloadCheck(.aps) { lint in
            if let type = lint.type {
                for key in lint.keys {
                    guard let types = key.facts?.types, !types.contains(type) else { continue }
                    // Other rules judge the keys of alerts in a background push.
                    if type == .background, types.contains(.alert) { continue }
                    let hint =
                        lint.typeOrigin == .payload && types == .liveActivity
                        ? "; nothing says which push type this is, so by its keys it is taken for \(type.name)" : ""
                    lint.report(
                        at: key.pointer, key.member.keyOffset,
                        "\(key.pointer) is in a push of type \(type.name); expected it only with \(types.names)\(hint)")
                }
            }
            // `url-args` is for web pages, whose topics begin with `web.`; nothing is said where the topic is not known.
            guard let value = lint.aps[.urlArgs], let topic = lint.push.topic, !topic.hasPrefix("web.") else { return }
            lint.report(
                at: "/aps/url-args", value.offset,
                "/aps/url-args is in a push for \(topic.cut(at: 80).quotedForPeople); expected a topic that begins with "
                    + "\"web.\"")
        })
}

extension PayloadLint {
    /// Returns the first system that knows a key with its value and for this push type.
    fileprivate func since(_ key: PlacedKey) -> SystemVersion? {
        switch key.parent == "/aps" ? ApsKey(rawValue: key.member.key) : nil {
        case .event where key.member.value.string == LiveActivityEvent.start.rawValue: SystemVersion(17, 2)
        case .contentChanged where type == .widgets: SystemVersion(26)
        default: key.facts?.since
        }
    }
}

/// A key of `aps`, `alert` or `sound` as the payload has it.
struct PlacedKey {
    /// The object that has it.
    let parent: String
    let member: JSONText.Member
    /// The facts about it; `nil` for an unknown key.
    let facts: PayloadKeyFacts?
    /// The known key that was probably meant.
    let meant: String?

    var pointer: String { parent + member.key.asPointerPart }

    /// Returns the keys of an object.
    static func keys<Key>(of object: KnownMembers<Key>, in parent: String) -> [Self] {
        object.all.map { member in
            let key = Key(rawValue: member.key)
            return Self(
                parent: parent, member: member, facts: key?.facts,
                meant: key == nil ? Key.nearMiss(of: member.key)?.rawValue : nil)
        }
    }
}
