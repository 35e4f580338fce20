/// Something that a probe cannot do without.
package enum ProbeNeed: Sendable, Hashable {
    case credentials
    case key(KeyKind)
    case certificate(CertificateKind)
    case device(DeviceKind)
    case topic(TopicKind)
    /// A topic that the client certificate does not cover.
    case coverage(String)

    /// Why a probe was left out, for people.
    package var reason: String {
        switch self {
        case .credentials: "it needs a signing key (--key, --key-id, --team-id) or a client certificate"
        case .key(.provider): "it needs a signing key (--key, --key-id, --team-id)"
        case .certificate(.provider): "it needs a client certificate (--certificate, --certificate-key)"
        case .device(.registered): "it needs a device token (--device-token)"
        case .device(let kind):
            "it needs a device token of the kind \(kind.rawValue) (--device-token \(kind.rawValue)=TOKEN)"
        case .coverage(let topic):
            "the client certificate does not cover \(topic); it needs a signing key (--key, --key-id, --team-id)"
        case .topic(let kind): "it needs an app of the kind \(kind.rawValue), which only a server of its own gives"
        case .key(let kind): "it needs a signing key of the kind \(kind.rawValue), which only a server of its own gives"
        case .certificate(let kind):
            "it needs a client certificate of the kind \(kind.rawValue), which only a server of its own gives"
        }
    }
}

extension Probe {
    /// The needs of this probe.
    package var needs: [ProbeNeed] {
        var needs: [ProbeNeed] = []
        func add(_ need: ProbeNeed) {
            if !needs.contains(need) { needs.append(need) }
        }
        if let certificate = connection?.certificate { add(.certificate(certificate)) }
        for request in sentRequests {
            if connection?.certificate == nil, request.hasUsualCredentials { add(.credentials) }
            for value in request.values(of: self) {
                switch value {
                case .token(let shape): if shape.key != .unknown { add(.key(shape.key)) }
                case .text(let text) where text.mayHavePlaceholder:
                    for kind in DeviceKind.allCases where text.contains("{device:\(kind.rawValue)}") {
                        if kind != .any { add(.device(kind)) }
                    }
                    if text.contains("{device}") { add(.device(.registered)) }
                    for kind in TopicKind.allCases where kind != .provider && text.contains("{topic:\(kind.rawValue)}")
                    {
                        add(.topic(kind))
                    }
                case .text, .repeated: break
                }
            }
        }
        return needs
    }

    /// Whether a request comes with the provider's usual credentials, whatever they are.
    var hasUsualCredentials: Bool {
        connection?.certificate == nil && sentRequests.contains(where: \.hasUsualCredentials)
    }

    /// Whether a request has no credentials, or bad ones: a client certificate would speak for it.
    var hasOtherCredentials: Bool {
        connection?.certificate == nil && sentRequests.contains { $0.changes("authorization") }
    }

    /// Returns the need of this probe that a provider with a client certificate and no signing key does not meet.
    ///
    /// - Parameter topics: the topics that the certificate covers; empty if they are not known.
    func needs(withCertificateFor topics: [String], at target: ProbeTarget) -> ProbeNeed? {
        // The first limit of streams is for those who sign tokens; and a certificate speaks for the whole connection.
        if hasUsualCredentials, group == .limits || hasOtherCredentials { return .key(.provider) }
        guard hasUsualCredentials, !topics.isEmpty else { return nil }
        for request in sentRequests {
            guard case .text(let text) = request.first("apns-topic"), text.hasPrefix("{topic}.") else { continue }
            let name = text.replacing("{topic}", with: target.topic)
            if !topics.contains(name) { return .coverage(name) }
        }
        for case .topic(let kind) in needs {
            if let name = target.furtherTopics[kind], !topics.contains(name) { return .coverage(name) }
        }
        return nil
    }

    /// The kinds of pushes that may reach a device of this kind, with their number.
    package func pushes(to kind: DeviceKind) -> [(pushType: String, count: Int)] {
        var counts: [(pushType: String, count: Int)] = []
        let words = kind == .registered ? ["{device}", "{device:registered}"] : ["{device:\(kind.rawValue)}"]
        for request in sentRequests {
            let goesThere = request.values(of: self).contains { value in
                if case .text(let text) = value { words.contains { text.contains($0) } } else { false }
            }
            guard goesThere else { continue }
            if let index = counts.firstIndex(where: { $0.pushType == request.pushType }) {
                counts[index].count += 1
            } else {
                counts.append((request.pushType, 1))
            }
        }
        return counts
    }

    /// The channels that have to be there.
    package var channels: [ChannelKind] {
        let texts = sentRequests.flatMap { $0.values(of: self) }.compactMap { value in
            if case .text(let text) = value, text.mayHavePlaceholder { text } else { nil }
        }
        return ChannelKind.allCases.filter { kind in texts.contains { $0.contains("{channel:\(kind.rawValue)") } }
    }

    /// The number of channels that are made for this probe alone.
    package var channelsMade: Int {
        (channels.contains(.fresh) ? 1 : 0) + sentRequests.count { $0.call == .create }
    }

    /// The number of requests.
    package var requests: Int {
        steps.count { step in
            switch step.action {
            case .request, .text: true
            case .frames(let frames): frames.contains { $0.type == HTTP2Frame.Kind.headers.rawValue }
            case .finish, .answer, .connection: false
            }
        }
    }
}

extension ProbeRequest {
    /// Whether the usual provider token, or the usual client certificate, speaks for it.
    var hasUsualCredentials: Bool { list == nil && !changes("authorization") }

    /// Whether it has a field otherwise than an ordinary request, or leaves it out.
    func changes(_ name: String) -> Bool { fields.contains { $0.name == name } }

    /// The first value of a field that it has otherwise than an ordinary request.
    func first(_ name: String) -> Value? { fields.first { $0.name == name }?.values.first }

    /// All values that are sent.
    func values(of probe: Probe) -> [Value] { allFields(hasToken: false).flatMap { $0.map(\.value) } }

    /// The fields in the order in which they are sent: those of an ordinary request, changed, then the others.
    ///
    /// - Parameter hasToken: whether a usual provider token is among those of an ordinary request.
    func allFields(hasToken: Bool) -> [[(name: String, value: Value)]] {
        if let list { return list.map { [$0] } }
        var usual = call.usualFields.map { (name: $0.name, value: Value.text($0.value)) }
        if hasToken { usual.insert(("authorization", .token(ProviderTokenShape())), at: 4) }
        var sent: [[(name: String, value: Value)]] = []
        for field in usual {
            guard let changed = fields.first(where: { $0.name == field.name }) else {
                sent.append([field])
                continue
            }
            sent.append(changed.values.map { (field.name, $0) })
        }
        for field in fields where !usual.contains(where: { $0.name == field.name }) {
            sent.append(field.values.map { (field.name, $0) })
        }
        return sent
    }
}

extension String {
    /// Whether something in braces may stand in it; asked first, since few texts have one.
    var mayHavePlaceholder: Bool { utf8.contains(UInt8(ascii: "{")) }
}
