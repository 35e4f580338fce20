/// One payload that is being judged: what is known of it, and what was found. Each family of rules is an extension.
struct PayloadLint {
    /// Maximum number of findings in one payload.
    private static let limit = 1000

    let push: LintedPush
    let settings: LintSettings
    /// The scenario's app that the push is for.
    let app: App?
    private(set) var findings: [LintFinding] = []
    /// What is in `aps`, the last one where a key comes twice.
    private(set) var aps = KnownMembers<ApsKey>(nil)
    /// What is in `alert`, if that is an object.
    private(set) var alert = KnownMembers<AlertKey>(nil)
    /// The push type, and how it is known.
    private(set) var type: PushType?
    private(set) var typeOrigin = TypeOrigin.nothing
    /// Whether the payload is `{}`.
    private var isEmpty = false

    /// How a push type is known.
    enum TypeOrigin {
        case header, topic, payload, nothing
    }

    init(_ push: LintedPush, _ settings: LintSettings, app: App?) {
        self.push = push
        self.settings = settings
        self.app = app
    }

    /// The findings as they stand in the payload; those with the same position as they were found.
    var sortedFindings: [LintFinding] {
        findings.enumerated().sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }.map(\.element)
    }

    /// Whether it is a push to a Live Activity, on `/3/device` or on a channel.
    var isLiveActivity: Bool { type == .liveactivity }

    /// What rules about more than one push have to know. Without a payload that can be read, it is only what the header
    /// and the topic say.
    var facts: PayloadFacts {
        let title = (alert[.title] ?? alert[.titleLocKey])?.string
        return PayloadFacts(
            type: type ?? knownType?.0,
            title: title.map { title in
                let bytes = Array(title.utf8)
                return PushHash.of(bytes.span)
            },
            event: aps[.event]?.string.flatMap(LiveActivityPush.Event.init(rawValue:)), isEmpty: isEmpty)
    }

    /// Returns whether its header says that it is of that push type.
    func says(_ wanted: PushType) -> Bool { type == wanted && typeOrigin == .header }

    /// Notes a finding, unless its rule is off.
    ///
    /// - Parameters:
    ///   - severity: where it is not the rule's own.
    ///   - effect: what happens, where it is not what the rule says.
    ///   - message: what was found; what the rule says happens then is added.
    mutating func report(
        _ rule: LintRule, at pointer: String, _ offset: Int, severity: LintSeverity? = nil,
        effect: String? = nil, _ message: @autoclosure () -> String
    ) {
        guard findings.count < Self.limit, let severity = settings.severity(of: rule, usual: severity) else { return }
        findings.append(
            LintFinding(rule, severity, pointer, rule.text(message(), effect: effect), offset: offset))
    }

    /// Notes that a value is not of the type that it should be.
    mutating func reportType(_ rule: LintRule, at pointer: String, _ value: JSONText.Value, takes expected: String) {
        report(rule, at: pointer, value.offset, "\(pointer) is \(value.asFound); expected \(expected)")
    }

    /// Takes what the payload says: `aps`, and by it the push type where nothing else tells it.
    mutating func check(_ root: JSONText.Value) {
        isEmpty = root.object?.isEmpty == true
        let value = root["aps"]
        aps = KnownMembers(value)
        alert = KnownMembers(aps[.alert])
        (type, typeOrigin) = knownType ?? guessedType
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

/// The members of an object whose keys are known, each found at once.
struct KnownMembers<Key: PayloadKey> {
    /// Whether there is an object at all.
    let isObject: Bool
    /// Where it begins.
    let offset: Int
    /// All members in their order, those of other keys too.
    let all: [JSONText.Member]
    private var values: [JSONText.Value?] = []

    init(_ value: JSONText.Value?) {
        offset = value?.offset ?? 0
        guard let members = value?.object else {
            isObject = false
            all = []
            return
        }
        isObject = true
        all = members
        values = Array(repeating: nil, count: Key.count)
        for member in members {
            if let key = Key(rawValue: member.key) { values[key.index] = member.value }
        }
    }

    subscript(_ key: Key) -> JSONText.Value? { isObject ? values[key.index] : nil }
}

extension JSONText.Value {
    /// Returns whether it is that number, however it is written; `true` and `"1"` are not 1.
    func isNumber(_ wanted: Int64) -> Bool { int64 == wanted }

    /// What it is, for a message: `the string "1"`.
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
    func cut(at count: Int) -> String {
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
