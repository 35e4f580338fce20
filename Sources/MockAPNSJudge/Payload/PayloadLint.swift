import MockAPNSCore

/// One payload that is being judged: its facts and findings.
struct PayloadLint {
    /// Maximum number of findings in one payload.
    private static let limit = 1000

    let push: LintedPush
    let settings: LintSettings
    /// The scenario's app that the push is for.
    let app: App?
    private let active: PayloadCheck.Active
    /// The place of the rule whose check is running.
    private var stage = 0
    private var index = 0
    private(set) var findings: [LintFinding] = []
    /// The payload, if it is JSON.
    private(set) var root: JSONText.Value?
    /// Why it is not.
    private(set) var mistake: JSONText.Mistake?
    /// The value that is being judged in the stage `value`, the member that it is of, and the way to it.
    private(set) var value: JSONText.Value?
    private(set) var member: JSONText.Member?
    private(set) var path: [String] = []
    /// The members of `aps`, the last one where a key comes twice.
    private(set) var aps = KnownMembers<ApsKey>(nil)
    /// The members of `alert`, if that is an object.
    private(set) var alert = KnownMembers<AlertKey>(nil)
    /// All keys of `aps`, `alert` and `sound`.
    private(set) var keys: [PlacedKey] = []
    /// The alert's texts that may be named by a key.
    private(set) var localizedTexts: [LocalizedText] = []
    /// The alert's texts that a device shows.
    private(set) var shownTexts: [ShownText] = []
    /// The push type, and how it is known.
    private(set) var type: PushType?
    private(set) var typeOrigin = TypeOrigin.nothing
    /// Whether a text may have U+FFFD, as it is or from an escape.
    private(set) var mayBeDamaged = false
    /// Its effect on a Live Activity.
    private(set) var event: LiveActivityEvent?
    /// The timestamps of earlier pushes.
    var times = ActivityTimes()

    /// How a push type is known.
    enum TypeOrigin {
        case header, topic, payload, nothing
    }

    init(_ push: LintedPush, _ settings: LintSettings, _ active: PayloadCheck.Active, app: App?) {
        self.push = push
        self.settings = settings
        self.active = active
        self.app = app
        guard push.isWhole, !push.body.isEmpty else { return }
        do throws(JSONText.Mistake) {
            root = try JSONText.read(push.body, .recorded)
        } catch {
            mistake = error
        }
        guard let root, root.object != nil else { return }
        let value = root["aps"]
        aps = KnownMembers(value)
        alert = KnownMembers(aps[.alert])
        (type, typeOrigin) = knownType ?? guessedType
        mayBeDamaged = push.body.contains { $0 == 0xEF || $0 == UInt8(ascii: "\\") }
        event = aps[.event]?.string.flatMap(LiveActivityEvent.init(rawValue:))
        guard aps.isObject else { return }
        keys =
            PlacedKey.keys(of: aps, in: "/aps") + PlacedKey.keys(of: alert, in: "/aps/alert")
            + PlacedKey.keys(of: KnownMembers<SoundKey>(aps[.sound]), in: "/aps/sound")
        localizedTexts = readLocalizedTexts()
        shownTexts = readShownTexts()
    }

    /// Asks all checks.
    mutating func judge() {
        run(.body)
        run(.json)
        if let root, root.object != nil {
            if !active.checks[PayloadCheck.Stage.value.rawValue].isEmpty { walk(root) }
            run(.object)
            if aps.isObject {
                run(.aps)
                if isLiveActivity { run(.liveActivity) }
            }
        }
        guard !push.isOfLog else { return }
        run(.field)
        run(.fields)
    }

    private mutating func run(_ stage: PayloadCheck.Stage) {
        self.stage = stage.rawValue
        let checks = active.checks[stage.rawValue]
        for index in checks.indices {
            self.index = index
            checks[index].judge(&self)
        }
    }

    /// Goes through all values for what may stand anywhere.
    private mutating func walk(_ value: JSONText.Value, of member: JSONText.Member? = nil) {
        self.value = value
        self.member = member
        run(.value)
        switch value.content {
        case .object(let members):
            for member in members {
                path.append(member.key)
                walk(member.value, of: member)
                path.removeLast()
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                path.append(String(index))
                walk(element)
                path.removeLast()
            }
        case .string, .number, .bool, .null: break
        }
    }

    /// The pointer to the value that is being judged.
    var pointer: String { JSONPointer(path).description }

    /// The members of the payload, if it is an object.
    var members: [JSONText.Member] { root?.object ?? [] }

    /// The findings as they stand in the payload; those with the same position as they were found.
    var sortedFindings: [LintFinding] {
        findings.enumerated().sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }.map(\.element)
    }

    /// Whether it is a push to a Live Activity, on `/3/device` or on a channel.
    var isLiveActivity: Bool { type == .liveactivity }

    /// The facts for rules about more than one push. Without a readable payload, they are those of the header and the
    /// topic only.
    var facts: PayloadFacts {
        let title = (alert[.title] ?? alert[.titleLocKey])?.string
        return PayloadFacts(
            type: type ?? knownType?.0,
            title: title.map { title in
                let bytes = Array(title.utf8)
                return PushHash.of(bytes.span)
            },
            event: event, isEmpty: root?.object?.isEmpty == true)
    }

    /// Returns whether its header says that it is of that push type.
    func says(_ wanted: PushType) -> Bool { type == wanted && typeOrigin == .header }

    /// Adds a finding of the rule whose check is running.
    ///
    /// - Parameters:
    ///   - severity: where it is not the rule's own.
    ///   - effect: what happens, where it is not what the rule says.
    ///   - message: what was found; what the rule says happens then is added.
    mutating func report(
        at pointer: String, _ offset: Int, severity: LintSeverity? = nil, effect: String? = nil, _ message: String
    ) {
        let rule = active.rules[stage][index]
        guard findings.count < Self.limit, let severity = settings.severity(of: rule, usual: severity) else { return }
        findings.append(
            LintFinding(rule, severity, pointer, rule.text(message, effect: effect), offset: offset))
    }

    /// Adds a finding about a value that is not as it should be.
    mutating func report(
        at pointer: String, _ value: JSONText.Value, severity: LintSeverity? = nil, expected: String
    ) {
        report(
            at: pointer, value.offset, severity: severity,
            "\(pointer.asShownPointer) is \(value.asFound); expected \(expected)")
    }

    /// Adds a finding about a key of `aps` that is absent, or does not have what it takes.
    mutating func reportAbsentOrWrong(_ key: ApsKey, severity: LintSeverity? = nil) {
        let expected = key.facts.takes
        if let value = aps[key] {
            return report(at: "/aps/\(key.rawValue)", value, severity: severity, expected: expected)
        }
        report(
            at: "/aps", aps.offset, severity: severity, "/aps has no \"\(key.rawValue)\"; expected \(expected)")
    }

    /// The push type by the header, else by the topic.
    private var knownType: (PushType?, TypeOrigin)? {
        if push.isBroadcast { return (.liveactivity, .header) }
        if let text = push.pushType {
            let bytes = Array(text.utf8)
            return (PushType(bytes.span), .header)
        }
        guard let topic = push.topic else { return nil }
        for type in PushType.allCases {
            if let suffix = type.topicSuffix, topic.hasSuffix(suffix) { return (type, .topic) }
        }
        let bytes = Array(topic.utf8)
        return Topic.isMDM(bytes.span) ? (.mdm, .topic) : nil
    }

    private var guessedType: (PushType?, TypeOrigin) {
        // A Live Activity may have an alert as well.
        if aps[.event] != nil, aps[.contentState] != nil { return (nil, .nothing) }
        if aps[.alert] != nil || aps[.badge] != nil || aps[.sound] != nil { return (.alert, .payload) }
        if aps[.contentAvailable]?.isNumber(1) == true { return (.background, .payload) }
        return (nil, .nothing)
    }
}

/// The members of an object whose keys are known.
struct KnownMembers<Key: PayloadKey> {
    /// Whether there is an object at all.
    let isObject: Bool
    /// Where it begins.
    let offset: Int
    /// All members in their order, those of other keys too.
    let all: [JSONText.Member]
    /// The keys that are known, and their values.
    private let keys: [Key]
    private let values: [JSONText.Value]

    init(_ value: JSONText.Value?) {
        isObject = value?.object != nil
        offset = value?.offset ?? 0
        all = value?.object ?? []
        var (keys, values): ([Key], [JSONText.Value]) = ([], [])
        for member in all {
            guard let key = Key(rawValue: member.key) else { continue }
            keys.append(key)
            values.append(member.value)
        }
        (self.keys, self.values) = (keys, values)
    }

    /// The value of a key, the last one where it comes twice.
    subscript(_ key: Key) -> JSONText.Value? { keys.lastIndex { $0.isSame(as: key) }.map { values[$0] } }
}

extension Equatable {
    /// Compares two cases by themselves: where they are generic, `==` compares their raw values, which are texts.
    fileprivate func isSame(as other: Self) -> Bool { self == other }
}

extension JSONText.Value {
    /// Returns whether it is that number, however it is written; `true` and `"1"` are not 1.
    func isNumber(_ wanted: Int64) -> Bool { int64 == wanted }

    /// Its form in a message: `the string "1"`.
    var asFound: String {
        switch content {
        case .object: "an object"
        case .array: "an array"
        case .string(let text): "the string \(text.cut(at: 80).quotedForPeople)"
        case .number(let number): "the number \(number.text.cut(at: 80))"
        case .bool(let bool): bool ? "true" : "false"
        case .null: "null"
        }
    }
}

extension String {
    /// Returns the text, cut to at most this number of bytes.
    package func cut(at count: Int) -> String {
        if utf8.count <= count { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: count)
        while end > utf8.startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }

    /// A JSON Pointer as messages have it: cut at 80 bytes, and on one line, whatever the keys of the payload are.
    var asShownPointer: String { PrintableText.line(cut(at: 80)) }

    /// The text as a part of a JSON Pointer.
    var asPointerPart: String { JSONPointer([self]).description }
}
