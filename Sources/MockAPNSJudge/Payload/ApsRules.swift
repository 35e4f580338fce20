import MockAPNSCore

// Whether there is an object `aps`, and whether what belongs there is there.
extension LintRule {
    static let apsRules = [apsMissing, apsMisspelled, apsNotObject, apsNested, apsKeysOutside, contentAvailableOutside]

    static let apsMissing = LintRule(
        id: "aps-missing", severity: .warning,
        finds: "`aps` is missing although the push type needs it; `{}` and payloads with `mdm` are left out",
        effect: "Nothing is shown, and nothing is woken.", sources: [.generating, .reported("node-apn/node-apn#344")],
        check: PayloadCheck(.object) { lint in
            guard let root = lint.root, root["aps"] == nil, root["mdm"] == nil, !lint.members.isEmpty,
                let type = lint.type, type.needsAps
            else { return }
            lint.report(at: "", root.offset, "The payload has no \"aps\"; expected one in a push of type \(type.name)")
        })

    static let apsMisspelled = LintRule(
        id: "aps-misspelled", severity: .error, finds: "`aps` is missing, and another key looks like it",
        effect: "It is taken for a key of the app's own, so nothing is shown.", sources: [.judgement],
        check: PayloadCheck(.object) { lint in
            guard lint.root?["aps"] == nil else { return }
            for member in lint.members where member.isNearlyAps {
                lint.report(
                    at: member.key.asPointerPart, member.keyOffset,
                    "There is no \"aps\", but \(member.key.cut(at: 80).quotedForPeople); did you mean \"aps\"?")
            }
        })

    static let apsNotObject = LintRule(
        id: "aps-not-object", severity: .error, finds: "`aps` is not an object",
        effect: "It is ignored, so nothing is shown.", sources: [.generating],
        check: PayloadCheck(.object) { lint in
            guard let value = lint.root?["aps"], value.object == nil else { return }
            lint.report(at: "/aps", value, expected: "an object")
        })

    static let apsNested = LintRule(
        id: "aps-nested", severity: .error, finds: "`aps` is inside another object",
        effect: "FCM wraps payloads like this; send only what is inside.",
        sources: [.reported("istornz/flutter_live_activities#146")],
        check: PayloadCheck(.value) { lint in
            guard lint.path.count > 1, let member = lint.member, member.key == "aps", member.value.object != nil
            else { return }
            lint.report(
                at: lint.pointer, member.keyOffset,
                "\"aps\" is inside \(PayloadLint.name(of: lint.path.dropLast())); it belongs at the top level")
        })

    static let apsKeysOutside = LintRule(
        id: "aps-keys-outside", severity: .error, finds: "a key that belongs in `aps` stands beside it",
        effect: "It is taken for a key of the app's own, and has no effect.",
        sources: [.reported("HackIllinois/api#172")],
        check: PayloadCheck(.object) { lint in
            // A key of another kind of push type may well be the app's own, such as `event` or `timestamp` beside an
            // alert; so may `category`, which is a word of many apps.
            for member in lint.members {
                guard let key = ApsKey(rawValue: member.key), key != .category, lint.aps[key] == nil else { continue }
                // It is for web pages only.
                if key == .urlArgs, lint.push.topic?.hasPrefix("web.") != true { continue }
                if let types = key.facts.types {
                    guard types.contains(lint.type ?? .alert) || lint.type == nil && types.contains(.background)
                    else { continue }
                }
                lint.report(
                    at: "/\(key.rawValue)", member.keyOffset,
                    "\"\(key.rawValue)\" is beside \"aps\"; it belongs in \"aps\"")
            }
        })

    static let contentAvailableOutside = LintRule(
        id: "content-available-outside", severity: .error,
        finds: "`content_available` or `mutable_content` beside `aps`",
        effect: "FCM has these keys; APNs takes them for keys of the app's own, and they have no effect.",
        sources: [.generating, .judgement],
        check: PayloadCheck(.object) { lint in
            for member in lint.members {
                let plain = member.key.plainKey
                for key in [ApsKey.contentAvailable, .mutableContent] {
                    guard plain == key.rawValue.plainKey, member.key != key.rawValue, lint.aps[key] == nil
                    else { continue }
                    lint.report(
                        at: member.key.asPointerPart, member.keyOffset,
                        "\(member.key.quotedForPeople) is beside \"aps\"; expected \"\(key.rawValue)\" in \"aps\"")
                }
            }
        })
}

extension JSONText.Member {
    /// Whether its key looks like `aps`. Short words such as `app` do, so that only those with an object count.
    fileprivate var isNearlyAps: Bool {
        if key.plainKey == "aps" { return true }
        guard value.object != nil, 2...4 ~= key.utf8.count else { return false }
        return editDistance(Array(key.lowercased().unicodeScalars), Array("aps".unicodeScalars)) <= 1
    }
}
