import MockAPNSCore

// The body as a whole: its size, whether it is JSON, keys that come twice.
extension LintRule {
    static let bodyRules = [
        payloadNotJSON, payloadNotObject, payloadTooLarge, payloadNearLimit, payloadDuplicateKey, payloadCompressed,
    ]

    static let payloadNotJSON = LintRule(
        id: "payload-not-json", severity: .error, finds: "the body is not valid JSON (RFC 8259)",
        effect: "APNs probably accepts it, and it is never shown.", sources: [.json, .judgement],
        check: PayloadCheck(.json) { lint in
            if lint.push.body.isEmpty, lint.push.isWhole {
                lint.report(
                    at: "", 0, effect: "APNs refuses it with PayloadEmpty.",
                    "The payload is empty; expected a JSON object")
            } else if let mistake = lint.mistake, !lint.isGzip {
                // A compressed payload has a finding of its own.
                lint.report(at: "", mistake.offset, "Not JSON at byte \(mistake.offset): \(mistake.message)")
            }
        })

    static let payloadNotObject = LintRule(
        id: "payload-not-object", severity: .error, finds: "the top level is not an object",
        effect: "APNs probably accepts it, and it is never shown.", sources: [.generating],
        check: PayloadCheck(.json) { lint in
            guard let root = lint.root, root.object == nil else { return }
            lint.report(at: "", root.offset, "The payload is \(root.asFound); expected an object")
        })

    static let payloadTooLarge = LintRule(
        id: "payload-too-large", severity: .error,
        finds: "the payload has more than 4096 bytes, or 5120 for VoIP and broadcasts",
        effect: "APNs refuses it with PayloadTooLarge.", sources: [.generating],
        check: PayloadCheck(.body) { lint in
            guard lint.byteCount > lint.sizeLimit else { return }
            lint.report(
                at: "", 0, "The payload has \(lint.byteCountWithLargest); expected at most \(lint.sizeLimit)")
        })

    static let payloadNearLimit = LintRule(
        id: "payload-near-limit", severity: .note, finds: "the payload takes up more than 90 % of the size limit",
        effect: "A longer name or translation will not fit.", sources: [.judgement], thresholds: [.nearLimitPercent],
        check: PayloadCheck(.body) { lint in
            let (limit, percent) = (lint.sizeLimit, lint.settings.value(of: .nearLimitPercent))
            guard lint.byteCount <= limit, lint.byteCount * 100 > limit * Int(percent) else { return }
            lint.report(
                at: "", 0,
                "The payload has \(lint.byteCountWithLargest), of the \(limit) that it may have; expected at most \(percent) %"
            )
        })

    static let payloadDuplicateKey = LintRule(
        id: "payload-duplicate-key", severity: .warning, finds: "a key occurs twice in one object",
        effect: "Only one of them counts, and nothing says which.", sources: [.json, .judgement],
        check: PayloadCheck(.value) { lint in
            let members = lint.value?.object ?? []
            var seen = Set<[UInt8]>()
            for index in members.indices.dropFirst() {
                let key = members[index].key
                let isTwice: Bool
                if members.count <= 16 {
                    isTwice = members[..<index].contains { $0.key.isSameText(as: key) }
                } else {
                    if index == 1 { seen.insert(Array(members[0].key.utf8)) }
                    isTwice = !seen.insert(Array(key.utf8)).inserted
                }
                guard isTwice else { continue }
                lint.report(
                    at: JSONPointer(lint.path + [key]).description, members[index].keyOffset,
                    "The key \(key.cut(at: 80).quotedForPeople) is in \(PayloadLint.name(of: lint.path)) more than once; "
                        + "expected it once")
            }
        })

    static let payloadCompressed = LintRule(
        id: "payload-compressed", severity: .error,
        finds: "a `content-encoding` field, or a body that begins like gzip",
        effect: "APNs takes only uncompressed JSON, and nothing is shown.", sources: [.sending],
        check: PayloadCheck(.body) { lint in
            if let encoding = lint.push.contentEncoding, encoding != "identity" {
                lint.report(
                    at: "", 0, "content-encoding is \(encoding.cut(at: 80).quotedForPeople); expected none")
            } else if lint.isGzip {
                lint.report(at: "", 0, "The payload begins with the bytes 1F 8B, like gzip; expected JSON")
            }
        })
}

extension LintThreshold {
    /// The percentage of the largest size from which `payload-near-limit` speaks.
    static let nearLimitPercent = Self(name: "nearLimitPercent", kind: .percentage, usual: 90)
}

extension PayloadLint {
    /// Maximum number of bytes that APNs takes.
    fileprivate var sizeLimit: Int {
        let isVoIP = push.pushType == PushType.voip.name || push.topic?.hasSuffix(".voip") == true
        return isVoIP || push.isBroadcast ? PushType.payloadLimitForVoIP : PushType.payloadLimit
    }

    fileprivate var byteCount: Int { push.byteCount ?? push.body.count }

    /// Whether the body begins as gzip does.
    fileprivate var isGzip: Bool { push.body.starts(with: [0x1F, 0x8B]) }

    /// `5000 bytes, of them 4800 in /aps/alert`: with the member that has the most, at the top level, or inside it if one
    /// there has most of these.
    fileprivate var byteCountWithLargest: String {
        guard var value = try? JSONText.read(push.body, .recorded) else { return "\(byteCount) bytes" }
        var found: (pointer: String, count: Int)?
        while let members = value.object {
            let sizes = members.map { ($0, $0.value.text.utf8.count) }
            guard let (member, size) = sizes.max(by: { $0.1 < $1.1 }), size * 2 > found?.count ?? 0 else { break }
            found = ((found?.pointer ?? "") + member.key.cut(at: 80).asPointerPart, size)
            value = member.value
        }
        return "\(byteCount) bytes" + (found.map { ", of them \($0.count) in \($0.pointer.asShownPointer)" } ?? "")
    }

    /// Returns the name of an object in messages.
    static func name(of path: [String]) -> String {
        path.isEmpty ? "the payload" : JSONPointer(path).description.asShownPointer
    }
}
