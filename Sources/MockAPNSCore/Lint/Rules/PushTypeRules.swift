// Push types whose payloads have keys of their own.
extension PayloadLint {
    mutating func checkPushType(_ root: JSONText.Value) {
        switch type {
        case .mdm: checkMDM(root)
        case .fileprovider: checkFileProvider(root)
        case .location: checkLocation()
        default: break
        }
        checkWebsite(root)
    }

    private mutating func checkMDM(_ root: JSONText.Value) {
        if let value = root["mdm"] {
            if value.string?.isEmpty != false { reportType(.mdmKeys, at: "/mdm", value, takes: "the PushMagic") }
        } else {
            report(.mdmKeys, at: "", root.offset, "The payload has no \"mdm\"; expected it with the PushMagic")
        }
        for member in root.object ?? [] where member.key != "mdm" {
            report(
                .mdmKeys, at: member.key.asPointerPart, member.keyOffset, severity: .warning,
                "\(member.key.cut(at: 80).quotedForPeople) is beside \"mdm\"; expected \"mdm\" alone")
        }
    }

    private mutating func checkFileProvider(_ root: JSONText.Value) {
        for key in ["container-identifier", "domain"] {
            guard let value = root[key] else {
                report(
                    .fileproviderKeys, at: "", root.offset,
                    "The payload has no \"\(key)\"; expected container-identifier and domain")
                continue
            }
            if value.string?.isEmpty != false {
                reportType(.fileproviderKeys, at: "/\(key)", value, takes: "a string")
            }
        }
    }

    private mutating func checkLocation() {
        guard push.priority == "1" else { return }
        report(
            .locationPriority, at: "", 0, "apns-priority is 1 for a push of type location; expected 5 or 10")
    }

    /// An alert for a website, which Safari shows.
    private mutating func checkWebsite(_ root: JSONText.Value) {
        // Beside aps, another rule finds them.
        guard push.topic?.hasPrefix("web.") == true, aps[.alert] != nil, root["url-args"] == nil else { return }
        guard let value = aps[.urlArgs] else {
            return report(
                .safariURLArgs, at: "/aps", aps.offset,
                "/aps has no \"url-args\"; expected an array of strings, one for each placeholder of urlFormatString")
        }
        guard let items = value.array else {
            return reportType(.safariURLArgs, at: "/aps/url-args", value, takes: "an array of strings")
        }
        for (index, item) in items.enumerated() where item.string == nil {
            reportType(.safariURLArgs, at: "/aps/url-args/\(index)", item, takes: "a string")
        }
    }
}
