import MockAPNSCore

// Push types whose payloads have keys of their own.
extension LintRule {
    static let pushTypeRules = [safariURLArgs, fileproviderKeys, mdmKeys, locationPriority]

    static let safariURLArgs = LintRule(
        id: "safari-url-args", severity: .warning,
        finds: "an alert for a website, with a topic that begins with `web.`, has no `url-args`, or they are not an "
            + "array of strings",
        effect: "Safari puts them in the address that a click opens; without placeholders the array is empty.",
        sources: [.websites],
        check: PayloadCheck(.object) { lint in
            // Safari shows it. Beside aps, another rule finds them.
            guard lint.push.topic?.hasPrefix("web.") == true, lint.aps[.alert] != nil, lint.root?["url-args"] == nil
            else { return }
            guard let value = lint.aps[.urlArgs] else {
                return lint.report(
                    at: "/aps", lint.aps.offset,
                    "/aps has no \"url-args\"; expected an array of strings, one for each placeholder of urlFormatString"
                )
            }
            guard let items = value.array else {
                return lint.report(at: "/aps/url-args", value, expected: "an array of strings")
            }
            for (index, item) in items.enumerated() where item.string == nil {
                lint.report(at: "/aps/url-args/\(index)", item, expected: "a string")
            }
        })

    static let fileproviderKeys = LintRule(
        id: "fileprovider-keys", severity: .error,
        finds: "push type `fileprovider` without the strings `container-identifier` and `domain`",
        effect: "The system cannot tell which domain has changed.", sources: [.fileProvider],
        check: PayloadCheck(.object) { lint in
            guard lint.type == .fileprovider, let root = lint.root else { return }
            for key in ["container-identifier", "domain"] {
                guard let value = root[key] else {
                    lint.report(
                        at: "", root.offset,
                        "The payload has no \"\(key)\"; expected container-identifier and domain")
                    continue
                }
                if value.string?.isEmpty != false { lint.report(at: "/\(key)", value, expected: "a string") }
            }
        })

    static let mdmKeys = LintRule(
        id: "mdm-keys", severity: .error,
        finds: "push type `mdm`, and the payload is not the string `mdm` alone; other keys beside it are a warning",
        effect: "The device does not poll its MDM server unless `mdm` is its PushMagic.", sources: [.mdm],
        check: PayloadCheck(.object) { lint in
            guard lint.type == .mdm, let root = lint.root else { return }
            if let value = root["mdm"] {
                if value.string?.isEmpty != false { lint.report(at: "/mdm", value, expected: "the PushMagic") }
            } else {
                lint.report(at: "", root.offset, "The payload has no \"mdm\"; expected it with the PushMagic")
            }
            for member in lint.members where member.key != "mdm" {
                lint.report(
                    at: member.key.asPointerPart, member.keyOffset, severity: .warning,
                    "\(member.key.cut(at: 80).quotedForPeople) is beside \"mdm\"; expected \"mdm\" alone")
            }
        })

    static let locationPriority = LintRule(
        id: "location-priority", severity: .warning, finds: "priority 1 for a location push",
        effect: "Location pushes take 10 for an immediate answer, otherwise 5.", sources: [.sending],
        check: PayloadCheck(.object) { lint in
            guard lint.type == .location, lint.push.priority == "1" else { return }
            lint.report(at: "", 0, "apns-priority is 1 for a push of type location; expected 5 or 10")
        })
}
