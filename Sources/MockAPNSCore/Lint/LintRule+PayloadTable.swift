extension LintRule {
    /// What there is to know of a rule about payloads: how bad its findings are, what it is about, what it finds, what
    /// happens then, and where it comes from.
    var payloadRow: Row? {
        switch self {
        case .payloadNotJSON:
            .init(
                .error, .body, "the body is not valid JSON (RFC 8259)",
                "APNs accepts it, and it is never shown", .json, .observed)
        case .payloadNotObject:
            .init(
                .error, .body, "the top level is not an object",
                "APNs accepts it, and it is never shown", .generating)
        case .payloadTooLarge:
            .init(
                .error, .body, "the payload has more than 4096 bytes, or 5120 for VoIP and broadcasts",
                "APNs refuses it with PayloadTooLarge", .generating)
        case .payloadNearLimit:
            .init(
                .note, .body, "the payload takes up more than 90 % of the size limit",
                "A longer name or translation will not fit", .judgement)
        case .payloadDuplicateKey:
            .init(
                .warning, .body, "a key occurs twice in one object",
                "Only one of them counts, and nothing says which", .json, .judgement)
        case .payloadCompressed:
            .init(
                .error, .body, "a `content-encoding` field, or a body that begins like gzip",
                "APNs takes only uncompressed JSON, and nothing is shown", .sending)
        case .unpairedSurrogate:
            .init(
                .warning, .body, "an escape that is half of a surrogate pair",
                "Strict readers of JSON refuse the payload; others put U+FFFD in its place", .unicodeInJSON)
        case .replacementCharacter:
            .init(
                .warning, .body, "a text with U+FFFD, the replacement character",
                "It is shown as a question mark; the text was probably cut inside a character, or read in the "
                    + "wrong encoding",
                .judgement)
        case .numberOutOfRange:
            .init(
                .warning, .body, "a number beyond the range of a 64-bit floating-point number",
                "Readers of JSON refuse it, or take it for infinity", .numbersInJSON)
        case .apsMissing:
            .init(
                .warning, .aps,
                "`aps` is missing although the push type needs it; `{}` and payloads with `mdm` are left out",
                "Nothing is shown, and nothing is woken", .generating, .reported("node-apn/node-apn#344"))
        case .apsMisspelled:
            .init(
                .error, .aps, "`aps` is missing, and another key looks like it",
                "It is taken for a key of the app's own, so nothing is shown", .judgement)
        case .apsNotObject:
            .init(
                .error, .aps, "`aps` is not an object",
                "It is ignored, so nothing is shown", .generating)
        case .apsNested:
            .init(
                .error, .aps, "`aps` is inside another object",
                "FCM wraps payloads like this; send only what is inside",
                .reported("istornz/flutter_live_activities#146"))
        case .apsKeysOutside:
            .init(
                .error, .aps, "a key that belongs in `aps` stands beside it",
                "It is taken for a key of the app's own, and has no effect", .reported("HackIllinois/api#172"))
        case .contentAvailableOutside:
            .init(
                .error, .aps, "`content_available` or `mutable_content` beside `aps`",
                "FCM has these keys; APNs takes them for keys of the app's own, and they have no effect",
                .generating, .judgement)
        case .apsUnknownKey:
            .init(
                .warning, .keys, "a key in `aps` that Apple does not document",
                "It is ignored; keys of your own go beside aps", .generating, .reported("python-apns#21"))
        case .keyMisspelled:
            .init(
                .error, .keys, "a key of `aps`, `alert` or `sound` that looks like a known one",
                "It is ignored", .reported("net-core-push-notifications#9, kalyke#430, parse-community/node-apn#133"))
        case .keyDeprecated:
            .init(
                .note, .keys, "a key that newer systems no longer use",
                "Newer systems ignore it", .guide)
        case .keyTooNew:
            .init(
                .note, .keys, "a key that the deployment target does not support yet",
                "Older systems ignore it", .judgement)
        case .keyWrongPushType:
            .init(
                .warning, .keys, "a known key that is for other push types only",
                "It is ignored for this type", .generating)
        case .alertType:
            .init(
                .error, .alert, "`alert` is neither a string nor an object",
                "It is ignored, so nothing is shown", .generating)
        case .alertEmpty:
            .init(
                .warning, .alert, "an alert without any text",
                "Nothing is shown", .generating)
        case .alertIsString:
            .init(
                .note, .alert, "`alert` is a string",
                "It becomes the body; an object can also have a title", .generating)
        case .alertTitleMissing:
            .init(
                .note, .alert, "a body without a title",
                "The short look of an Apple Watch shows the title", .generating)
        case .alertTextType:
            .init(
                .error, .alert,
                "a title, subtitle, body or loc-key is not a string; in Live Activities, title and body may be "
                    + "an object with `loc-key`",
                "It is ignored", .generating, .liveActivities)
        case .alertEscapedU:
            .init(
                .warning, .alert, #"a text has `\U` or `\u` and hexadecimal digits"#,
                "They are shown literally; write the character itself, in UTF-8", .guide)
        case .alertPlaceholder:
            .init(
                .warning, .alert,
                "a text has `{{`, `${` or `%@`, or the word `undefined`, `null`, `NaN` or `[object Object]`",
                "It looks like a placeholder that was never filled in, and is shown literally", .judgement)
        case .locArgsWithoutKey:
            .init(
                .warning, .localization, "arguments without the key that they are for",
                "They are ignored", .generating)
        case .locKeyAndText:
            .init(
                .note, .localization, "a text and a key for the same text",
                "Sources disagree about which of them is shown; send one of them", .generating, .guide)
        case .locArgsType:
            .init(
                .error, .localization, "arguments that are not an array of strings",
                "The arguments are ignored", .generating)
        case .locKeyWithoutArgs:
            .init(
                .warning, .localization, "a key with `%@` or `%1$@`, and no arguments",
                "The placeholders are shown literally", .generating, .guide)
        case .locKeyUnknown:
            .init(
                .warning, .localization, "a key that the app's strings do not have",
                "The device shows the key itself", .generating)
        case .locArgsCount:
            .init(
                .warning, .localization, "more or fewer arguments than the string has placeholders",
                "Placeholders without an argument are shown literally; arguments without a placeholder are "
                    + "ignored",
                .generating)
        case .stringKeyType:
            .init(
                .error, .identifiers,
                "`thread-id`, `category`, `target-content-id`, `filter-criteria`, `launch-image` or "
                    + "`attributes-type` is not a string",
                "It is ignored", .generating)
        case .categoryUnknown:
            .init(
                .warning, .identifiers, "a category that the app does not have",
                "The notification gets no buttons", .guide)
        case .badgeType:
            .init(
                .error, .badge, "`badge` is not a number",
                "It is ignored; APNs cannot count up", .generating, .reported("RMSPush#62, Coccodrillo/apns#45"))
        case .badgeNotWhole:
            .init(
                .error, .badge, "`badge` is negative or a fraction",
                "The app icon does not show that number", .judgement)
        case .badgeZeroWithAlert:
            .init(
                .note, .badge, "`badge` is 0 beside an alert",
                "Removing the badge was seen to hide the banner at once", .forum)
        case .soundType:
            .init(
                .error, .sound, "`sound` is neither a string nor an object",
                "It is ignored, so no sound is played", .generating)
        case .soundObjectNotCritical:
            .init(
                .warning, .sound, "`sound` is an object without `critical` 1",
                "An object is for critical alerts, and was seen to play as one; use the string",
                .generating, .reported("appleboy/gorush#394"))
        case .soundCriticalValues:
            .init(
                .error, .sound, "`critical` is not 0 or 1, `volume` not a number from 0 to 1, or `name` is absent",
                "The sound is not played as it was meant", .generating)
        case .soundDefaultCase:
            .init(
                .warning, .sound, "`Default`, or another spelling of `default`",
                #"Only "default" is the system's sound; anything else is the name of a file"#,
                .generating, .reported("edamov/pushok#103"))
        case .soundFileKind:
            .init(
                .note, .sound, "a file that is not AIFF, WAV or CAF, or has a path",
                "The device plays the default sound instead", .sounds)
        case .flagNotOne:
            .init(
                .error, .flags, "`content-available` or `mutable-content` is not the number 1; 0 is a note",
                "It has no effect", .generating, .reported("AndrewBarba/apns2#82"))
        case .mutableWithoutAlert:
            .init(
                .warning, .flags, "`mutable-content` 1, and no alert object with title, subtitle or body",
                "The service extension does not run", .modifying, .reported("nomad/houston#151"))
        case .backgroundWithAlert:
            .init(
                .error, .background, "push type `background` with `alert`, `badge` or `sound`",
                "A background push shows nothing; it may be dropped", .background)
        case .backgroundWithoutFlag:
            .init(
                .error, .background, "push type `background` without `content-available` 1",
                "The app is not woken", .background)
        case .backgroundExtraKeys:
            .init(
                .note, .background, "a background push with other keys of `aps`",
                "It should have content-available only; the others are ignored",
                .background, .reported("onmyway133#29"))
        case .alertShowsNothing:
            .init(
                .warning, .background, "push type `alert` without `alert`, `badge` and `sound`",
                "Nothing is shown; is it meant to be a background push?",
                .sending, .reported("parse-community/parse-server#6106"))
        case .alertWakesApp:
            .init(
                .note, .background, "`alert` and `content-available`",
                "This is allowed, but the app is woken no more often than by background pushes", .guide)
        case .contentChangedValue:
            .init(
                .error, .background, "push type `widgets` or `controls`, and `content-changed` is not true",
                "Nothing is updated", .widgets)
        case .safariURLArgs:
            .init(
                .warning, .background,
                "an alert for a website, with a topic that begins with `web.`, has no `url-args`, or they are not an "
                    + "array of strings",
                "Safari puts them in the address that a click opens; without placeholders the array is empty",
                .websites)
        case .fileproviderKeys:
            .init(
                .error, .background,
                "push type `fileprovider` without the strings `container-identifier` and `domain`",
                "The system cannot tell which domain has changed", .fileProvider)
        case .mdmKeys:
            .init(
                .error, .background,
                "push type `mdm`, and the payload is not the string `mdm` alone; other keys beside it are a warning",
                "The device does not poll its MDM server unless `mdm` is its PushMagic", .mdm)
        case .locationPriority:
            .init(
                .warning, .background, "priority 1 for a location push",
                "Location pushes take 10 for an immediate answer, otherwise 5", .sending)
        case .interruptionLevelValue:
            .init(
                .error, .interruption, "`interruption-level` is none of the four words",
                "It is ignored, and the notification is active", .generating)
        case .interruptionLevelCritical:
            .init(
                .warning, .interruption, "`critical` without a sound with `critical` 1",
                "No sound overrides the mute switch", .judgement)
        case .interruptionLevelPriority:
            .init(
                .warning, .interruption, "`time-sensitive` or `critical` with priority 5 or 1",
                "It may be delivered late, to save power", .judgement)
        case .passiveWithSound:
            .init(
                .note, .interruption, "`passive` with a sound",
                "A passive notification plays none", .interruptionLevel)
        case .relevanceScoreRange:
            .init(
                .error, .interruption, "`relevance-score` is not a number; for alerts, not one from 0 to 1",
                "It is ignored", .generating, .reported("jchambers/pushy#1033"))
        case .liveactivityEvent:
            .init(
                .error, .liveActivities, "`event` is absent, or is not `start`, `update` or `end`",
                "The device drops it; its log says that the payload does not contain an event type",
                .liveActivities, .reported("parse-community/node-apn#133"))
        case .liveactivityTimestamp:
            .init(
                .error, .liveActivities, "`timestamp` is absent, or is not a number",
                "The device drops it", .liveActivities)
        case .dateNotSeconds:
            .init(
                .error, .liveActivities,
                "`timestamp`, `stale-date` or `dismissal-date` is not a number of seconds since 1970, but since 2001, in "
                    + "milliseconds or written out",
                "The device takes it for another time, or drops the push", .liveActivities, .judgement)
        case .timestampPast:
            .init(
                .error, .liveActivities,
                "an update that is older than the last one for the token or channel, or more than 60 s before "
                    + "the clock",
                "The device drops it; only an end would still count", .liveActivityForum)
        case .timestampFuture:
            .init(
                .error, .liveActivities, "a timestamp more than 8 h ahead of the clock",
                "The device drops it", .liveActivityForum)
        case .contentStateType:
            .init(
                .error, .liveActivities,
                "`content-state` is absent, or is not an object; its absence from an `end` is a note",
                "The Live Activity does not change", .liveActivities)
        case .contentStateDate:
            .init(
                .note, .liveActivities,
                "a value of `content-state` that looks like ISO 8601, or like a time of our days since 1970",
                "By default an app decodes a Date from seconds since 2001: a string fails, and seconds since 1970 "
                    + "become a date 31 years later",
                .liveActivities, .reported("istornz/flutter_live_activities#118"))
        case .startIncomplete:
            .init(
                .error, .liveActivities, "a start without `alert`, `attributes-type` or `attributes`",
                "Nothing is started", .liveActivities)
        case .startAlertEmpty:
            .init(
                .warning, .liveActivities, "a start with an alert without title and body",
                "Such a start was seen not to arrive", .reported("swift-server-community/APNSwift#232"))
        case .inputPush:
            .init(
                .error, .liveActivities,
                "`input-push-token` is not 1, or is beside `input-push-channel`; one of them is not in a "
                    + "start; or the channel is not base64",
                "The Live Activity gets no pushes", .liveActivities)
        case .dismissalWithoutEnd:
            .init(
                .warning, .liveActivities,
                "`dismissal-date` without event `end`; one more than 4 h after the end is a note",
                "Only an end is dismissed, and after 4 h the system removes it anyway", .liveActivities)
        case .staleBeforeTimestamp:
            .init(
                .warning, .liveActivities, "`stale-date` is not after `timestamp`",
                "The Live Activity is out of date from the beginning", .judgement)
        case .liveactivityPriority:
            .init(
                .warning, .liveActivities, "priority 1 for a Live Activity",
                "Live Activities take 5 or 10", .liveActivities)
        case .broadcastStart:
            .init(
                .error, .liveActivities, "event `start` on a channel",
                "A channel reaches only Live Activities that have already started", .liveActivities)
        case .secretValue:
            .init(
                .warning, .secrets, "a card number, or a key `password`, `cvv` or `pin`",
                "Apple asks to leave sensitive data out, or to encrypt it", .generating)
        default: nil
        }
    }
}
