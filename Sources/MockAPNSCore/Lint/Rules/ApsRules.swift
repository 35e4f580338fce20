// Whether there is an object `aps`, and whether what belongs there is there.
extension PayloadLint {
    /// Looks at the top level; takes the push type from it as well.
    mutating func checkAps(_ root: JSONText.Value) {
        check(root)
        let members = root.object ?? []
        if let value = root["aps"] {
            if value.object == nil { reportType(.apsNotObject, at: "/aps", value, takes: "an object") }
        } else {
            checkMissing(members, root)
            checkMisspelled(members)
        }
        checkOutside(members)
    }

    private mutating func checkMissing(_ members: [JSONText.Member], _ root: JSONText.Value) {
        guard let type, !members.isEmpty, root["mdm"] == nil else { return }
        switch type {
        case .alert, .background, .liveactivity, .widgets, .controls:
            report(
                .apsMissing, at: "", root.offset,
                "The payload has no \"aps\"; expected one in a push of type \(type.name)")
        case .complication, .fileprovider, .location, .mdm, .pushtotalk, .voip: break
        }
    }

    private mutating func checkMisspelled(_ members: [JSONText.Member]) {
        for member in members where Self.isNearlyAps(member) {
            let pointer = member.key.asPointerPart
            report(
                .apsMisspelled, at: pointer, member.keyOffset,
                "There is no \"aps\", but \(member.key.cut(at: 80).quotedForPeople); did you mean \"aps\"?")
        }
    }

    /// Returns whether a key looks like `aps`. Short words such as `app` do, so that only those with an object count.
    private static func isNearlyAps(_ member: JSONText.Member) -> Bool {
        if member.key.plainKey == "aps" { return true }
        guard member.value.object != nil, 2...4 ~= member.key.utf8.count else { return false }
        return editDistance(Array(member.key.lowercased().unicodeScalars), Array("aps".unicodeScalars)) <= 1
    }

    /// An `aps` inside another object.
    mutating func checkNested(_ member: JSONText.Member, _ path: [String]) {
        let pointer = JSONPointer(path).description
        report(
            .apsNested, at: pointer, member.keyOffset,
            "\"aps\" is inside \(Self.name(of: path.dropLast())); it belongs at the top level")
    }

    /// Keys that would have an effect in `aps`. What only push types of another kind know may well be a key of the app's
    /// own, such as `event` or `timestamp` beside an alert; so may `category`, which is a word of many apps.
    private mutating func checkOutside(_ members: [JSONText.Member]) {
        for member in members {
            checkFlagOfFCM(member)
            guard let key = ApsKey(rawValue: member.key), key != .category, aps[key] == nil else { continue }
            // It is for web pages only.
            if key == .urlArgs, push.topic?.hasPrefix("web.") != true { continue }
            if let types = key.facts.types {
                guard types.contains(type ?? .alert) || type == nil && types.contains(.background) else { continue }
            }
            report(
                .apsKeysOutside, at: "/\(key.rawValue)", member.keyOffset,
                "\"\(key.rawValue)\" is beside \"aps\"; it belongs in \"aps\"")
        }
    }

    /// A flag as FCM spells it.
    private mutating func checkFlagOfFCM(_ member: JSONText.Member) {
        let plain = member.key.plainKey
        for key in [ApsKey.contentAvailable, .mutableContent] {
            guard plain == key.rawValue.plainKey, member.key != key.rawValue, aps[key] == nil else { continue }
            report(
                .contentAvailableOutside, at: member.key.asPointerPart, member.keyOffset,
                "\(member.key.quotedForPeople) is beside \"aps\"; expected \"\(key.rawValue)\" in \"aps\"")
        }
    }
}
