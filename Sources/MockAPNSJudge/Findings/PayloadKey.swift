import MockAPNSCore

/// A key of a payload that Apple gives a meaning.
protocol PayloadKey: RawRepresentable<String>, CaseIterable, Equatable, Sendable {
    /// The facts about it.
    var facts: PayloadKeyFacts { get }
}

/// The facts about a key.
struct PayloadKeyFacts: Sendable {
    /// The values it takes, with an article.
    var takes: String
    /// The push types that it is for; `nil`: any.
    var types: PushTypes?
    /// The first version of iOS that knows it; `nil`: all that are still in use.
    var since: SystemVersion?
    /// The replacement of a key that should not be used any more.
    var insteadUse: String?

    init(
        _ takes: String, _ types: PushTypes? = nil, since: SystemVersion? = nil, insteadUse: String? = nil
    ) {
        self.takes = takes
        self.types = types
        self.since = since
        self.insteadUse = insteadUse
    }
}

/// Some push types.
struct PushTypes: OptionSet, Sendable {
    let rawValue: UInt16
    static let alert = Self(.alert)
    static let background = Self(.background)
    static let liveActivity = Self(.liveactivity)
    static let controls = Self(.controls)
    static let widgets = Self(.widgets)

    init(rawValue: UInt16) { self.rawValue = rawValue }
    init(_ type: PushType) { rawValue = 1 << UInt16(type.code) }

    func contains(_ type: PushType) -> Bool { contains(Self(type)) }

    /// The names, `alert and liveactivity`.
    var names: String {
        let names = PushType.allCases.filter(contains).map(\.name)
        return names.count < 2
            ? names.first ?? "" : "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
    }
}

/// The keys of `aps`.
package enum ApsKey: String, PayloadKey {
    case alert, badge, sound
    case threadID = "thread-id"
    case category
    case contentAvailable = "content-available"
    case mutableContent = "mutable-content"
    case targetContentID = "target-content-id"
    case interruptionLevel = "interruption-level"
    case relevanceScore = "relevance-score"
    case filterCriteria = "filter-criteria"
    case event, timestamp
    case contentState = "content-state"
    case staleDate = "stale-date"
    case dismissalDate = "dismissal-date"
    case attributesType = "attributes-type"
    case attributes
    case inputPushChannel = "input-push-channel"
    case inputPushToken = "input-push-token"
    case contentChanged = "content-changed"
    case urlArgs = "url-args"

    var facts: PayloadKeyFacts {
        switch self {
        case .alert: .init("a string or an object", [.alert, .liveActivity])
        case .badge: .init("a number", .alert)
        case .sound: .init("a string, or an object for a critical alert", .alert)
        case .threadID, .category: .init("a string", .alert)
        case .contentAvailable: .init("the number 1", [.background, .alert])
        case .mutableContent: .init("the number 1", .alert, since: .init(10))
        case .targetContentID: .init("a string", since: .init(13))
        case .interruptionLevel:
            .init(#""passive", "active", "time-sensitive" or "critical""#, since: .init(15))
        case .relevanceScore: .init("a number", since: .init(15))
        case .filterCriteria: .init("a string", since: .init(16))
        case .event: .init(#""start", "update" or "end""#, .liveActivity, since: .init(16, 1))
        case .timestamp, .staleDate, .dismissalDate:
            .init("seconds since 1970 as a number", .liveActivity, since: .init(16, 1))
        case .contentState: .init("an object", .liveActivity, since: .init(16, 1))
        case .attributesType: .init("a string", .liveActivity, since: .init(17, 2))
        case .attributes: .init("an object", .liveActivity, since: .init(17, 2))
        case .inputPushChannel: .init("the id of a channel, in base64", .liveActivity, since: .init(18))
        case .inputPushToken: .init("the number 1", .liveActivity, since: .init(18))
        case .contentChanged: .init("true", [.controls, .widgets], since: .init(18))
        case .urlArgs: .init("an array of strings")
        }
    }
}

/// The keys of `alert`.
enum AlertKey: String, PayloadKey {
    case title, subtitle, body
    case launchImage = "launch-image"
    case titleLocKey = "title-loc-key"
    case titleLocArgs = "title-loc-args"
    case subtitleLocKey = "subtitle-loc-key"
    case subtitleLocArgs = "subtitle-loc-args"
    case locKey = "loc-key"
    case locArgs = "loc-args"
    case actionLocKey = "action-loc-key"
    case summaryArg = "summary-arg"
    case summaryArgCount = "summary-arg-count"
    /// Of Live Activities only; elsewhere it stands beside `alert`.
    case sound

    /// The keys of texts from the app's strings; of notifications only.
    static let ofLocalizedTexts = [
        titleLocKey, titleLocArgs, subtitleLocKey, subtitleLocArgs, locKey, locArgs,
    ]

    var facts: PayloadKeyFacts {
        switch self {
        case .title, .body, .launchImage, .titleLocKey, .locKey: .init("a string")
        case .titleLocArgs, .locArgs: .init("an array of strings")
        case .subtitle, .subtitleLocKey: .init("a string", since: .init(10))
        case .subtitleLocArgs: .init("an array of strings", since: .init(10))
        case .actionLocKey: .init("a string", insteadUse: "actions of a category")
        case .summaryArg:
            .init("a string", insteadUse: "relevance-score, which sorts the notification summary since iOS 15")
        case .summaryArgCount:
            .init("a number", insteadUse: "relevance-score, which sorts the notification summary since iOS 15")
        case .sound: .init("a string", .liveActivity, since: .init(16, 1))
        }
    }
}

/// The keys of `sound`, where that is an object.
enum SoundKey: String, PayloadKey {
    case critical, name, volume

    var facts: PayloadKeyFacts {
        switch self {
        case .critical: .init("the number 0 or 1", since: .init(12))
        case .name: .init("a string", since: .init(12))
        case .volume: .init("a number from 0 to 1", since: .init(12))
        }
    }
}

extension PayloadKey {
    /// Returns the key that was probably meant: equal but for case, hyphens and underscores, or at most
    /// two edits away, of a short one at most one.
    static func nearMiss(of name: String) -> Self? {
        guard name.utf8.count <= 40, Self(rawValue: name) == nil else { return nil }
        let plain = name.plainKey
        if let key = allCases.first(where: { $0.rawValue.plainKey == plain }) { return key }
        let letters = Array(name.lowercased().unicodeScalars)
        var best: (key: Self, distance: Int)?
        for key in allCases {
            let known = Array(key.rawValue.unicodeScalars)
            let limit = min(known.count, letters.count) < 6 ? 1 : 2
            guard abs(known.count - letters.count) <= limit else { continue }
            let distance = editDistance(letters, known)
            if distance <= limit, distance < best?.distance ?? .max { best = (key, distance) }
        }
        return best?.key
    }
}

extension String {
    /// In lower case, without hyphens and underscores.
    var plainKey: String { lowercased().filter { $0 != "-" && $0 != "_" } }
}
