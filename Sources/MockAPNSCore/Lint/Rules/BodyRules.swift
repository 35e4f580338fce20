// The body as a whole: its size, whether it is JSON, keys that come twice.
extension PayloadLint {
    /// Maximum number of bytes that APNs takes.
    private var sizeLimit: Int {
        let isVoIP = push.pushType == PushType.voip.name || push.topic?.hasSuffix(".voip") == true
        return isVoIP || push.isBroadcast
            ? RequestContext.payloadLimitForVoIP : RequestContext.payloadLimit
    }

    /// Whether the body begins as gzip does.
    private var isGzip: Bool { push.body.starts(with: [0x1F, 0x8B]) }

    mutating func checkSize() {
        let (count, limit) = (push.byteCount ?? push.body.count, sizeLimit)
        if count > limit {
            let largest = largestMember.map { ", of them \($0.count) in \($0.pointer.asShownPointer)" } ?? ""
            report(.payloadTooLarge, at: "", 0, "The payload has \(count) bytes\(largest); expected at most \(limit)")
        } else if count * 100 > limit * Int(settings.value(of: .nearLimitPercent)) {
            let largest = largestMember.map { ", of them \($0.count) in \($0.pointer.asShownPointer)" } ?? ""
            let percent = settings.value(of: .nearLimitPercent)
            report(
                .payloadNearLimit, at: "", 0,
                "The payload has \(count) bytes\(largest), of the \(limit) that it may have; expected at most \(percent) %"
            )
        }
        if let encoding = push.contentEncoding, encoding != "identity" {
            report(
                .payloadCompressed, at: "", 0,
                "content-encoding is \(encoding.cut(at: 80).quotedForPeople); expected none")
        } else if isGzip {
            report(
                .payloadCompressed, at: "", 0,
                "The payload begins with the bytes 1F 8B, like gzip; expected JSON")
        }
    }

    /// The member with the most bytes: that of the top level, or one inside it that has most of these.
    private var largestMember: (pointer: String, count: Int)? {
        guard var value = try? JSONText.read(push.body, .recorded) else { return nil }
        var found: (pointer: String, count: Int)?
        while let members = value.object {
            let sizes = members.map { ($0, $0.value.text.utf8.count) }
            guard let (member, size) = sizes.max(by: { $0.1 < $1.1 }), size * 2 > found?.count ?? 0 else { break }
            found = ((found?.pointer ?? "") + member.key.cut(at: 80).asPointerPart, size)
            value = member.value
        }
        return found
    }

    /// Returns the payload if it is a JSON object.
    mutating func json() -> JSONText.Value? {
        guard push.isWhole else { return nil }
        if push.body.isEmpty {
            report(
                .payloadNotJSON, at: "", 0, effect: "APNs refuses it with PayloadEmpty.",
                "The payload is empty; expected a JSON object")
            return nil
        }
        do throws(JSONText.Mistake) {
            let root = try JSONText.read(push.body, .recorded)
            if root.object != nil { return root }
            report(.payloadNotObject, at: "", root.offset, "The payload is \(root.asFound); expected an object")
        } catch {
            // What is compressed was told to be.
            if !isGzip {
                report(
                    .payloadNotJSON, at: "", error.offset,
                    "Not JSON at byte \(error.offset): \(error.message)")
            }
        }
        return nil
    }

    /// Goes through all values for what may stand anywhere: keys that come twice, `aps` inside other objects, damaged
    /// texts, secrets.
    mutating func walk(_ root: JSONText.Value) {
        var path: [String] = []
        walk(root, &path)
    }

    private mutating func walk(_ value: JSONText.Value, _ path: inout [String]) {
        switch value.content {
        case .object(let members):
            checkDuplicates(members, path)
            for member in members {
                path.append(member.key)
                checkDamage(member.key, at: member.keyOffset, path)
                if path.count > 1, member.key == "aps", member.value.object != nil { checkNested(member, path) }
                checkSecretKey(member, path)
                walk(member.value, &path)
                path.removeLast()
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                path.append(String(index))
                walk(element, &path)
                path.removeLast()
            }
        case .string(let text):
            checkDamage(text, at: value.offset, path)
            checkCardNumber(text, value, path)
        case .number(let number):
            checkRange(of: number, value, path)
            checkCardNumber(number.text, value, path)
        case .bool, .null: break
        }
    }

    private mutating func checkDuplicates(_ members: [JSONText.Member], _ path: [String]) {
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
            let pointer = JSONPointer(path + [key]).description
            report(
                .payloadDuplicateKey, at: pointer, members[index].keyOffset,
                "The key \(key.cut(at: 80).quotedForPeople) is in \(Self.name(of: path)) more than once; expected it once"
            )
        }
    }

    /// Returns the name of an object in messages.
    static func name(of path: [String]) -> String {
        path.isEmpty ? "the payload" : JSONPointer(path).description.asShownPointer
    }
}
