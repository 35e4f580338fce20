// The requests of probes, for people.

extension Probe {
    /// The requests it sends, on one line.
    package var sends: String {
        let text = steps.compactMap(\.sends).joined(separator: "; then ")
        if let how = connection?.text { return text.isEmpty ? how : "\(how): \(text)" }
        if text.isEmpty { return connection?.preface == .never ? "nothing" : "the client's preface" }
        return text
    }
}

extension ProbeConnectionSetup {
    /// How the connection differs from a usual one; `nil` if it does not.
    fileprivate var text: String? {
        var parts: [String] = []
        switch versions {
        case .all: break
        case .tls12: parts.append("TLS 1.2")
        case .tls13: parts.append("TLS 1.3")
        }
        if protocols.isEmpty { parts.append("no ALPN") }
        if protocols.count > 1 { parts.append("ALPN \(protocols.joined(separator: " and "))") }
        if let certificate { parts.append("a client certificate (\(certificate.rawValue))") }
        if preface == .afterSettings { parts.append("the preface after the server's SETTINGS") }
        if !acknowledges { parts.append("no acknowledgement of SETTINGS") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

extension ProbeStep {
    fileprivate var sends: String? {
        switch action {
        case .request(let request, _): request.text
        case .finish(let number): "the end of request \(number)"
        case .answer: nil
        case .frames(let frames): frames.map(\.text).joined(separator: ", ")
        case .text(let text): "the text \"\(text.replacing("\r\n", with: " ").prefix(60))\""
        case .connection(let moment): moment == .settled ? "PING" : nil
        }
    }
}

extension ProbeFrame {
    fileprivate var text: String {
        let name = HTTP2Frame(type: type).name
        return switch stream {
        case .number(0): name
        case .number(let number): "\(name) on stream \(number)"
        case .latest: "\(name) on the latest stream"
        }
    }
}

extension ProbeRequest {
    fileprivate var text: String {
        var parts: [String] = []
        func first(_ name: String) -> String {
            guard let changed = fields.first(where: { $0.name == name }) else {
                return call.usualFields.first { $0.name == name }?.value ?? ""
            }
            return changed.values.first?.text ?? "no \(name.dropFirst())"
        }
        if let list {
            parts.append("the fields " + list.map { "\($0.name): \($0.value.text)" }.joined(separator: ", "))
        } else {
            parts.append("\(first(":method")) \(first(":path"))")
            for field in fields where field.name != ":method" && field.name != ":path" {
                parts.append(
                    field.values.isEmpty
                        ? "no \(field.name)" : field.values.map { "\(field.name): \($0.text)" }.joined(separator: ", "))
            }
        }
        switch body {
        case .none: if call.usualBody != .none { parts.append("no body") }
        case .text(let text):
            if body != call.usualBody { parts.append(text.isEmpty ? "an empty body" : "the body \(text)") }
        case .padded(let count): parts.append("a body of \(count) bytes")
        case .hex(let bytes): parts.append("a body of \(bytes.count) other bytes")
        }
        return (parts + framing.text).joined(separator: ", ")
    }
}

extension ProbeFraming {
    fileprivate var text: [String] {
        var parts: [String] = []
        if dataFrames > 1 { parts.append("in \(dataFrames) DATA frames") }
        if hasEmptyLastFrame { parts.append("END_STREAM on an empty DATA frame") }
        if let padding { parts.append("\(padding) bytes of padding in each frame") }
        if isContinued { parts.append("with CONTINUATION") }
        if isCompressed { parts.append("with compressed fields") }
        if hasPriority { parts.append("with priority in HEADERS") }
        if !ends { parts.append("without END_STREAM") }
        if let headerListSize { parts.append("with a header list of \(headerListSize) bytes") }
        return parts
    }
}

extension ProbeRequest.Value {
    fileprivate var text: String {
        switch self {
        case .text(let text): text.isEmpty ? "(empty)" : text
        case .repeated(let text, let count): "\(count) times \"\(text)\""
        case .token(let shape): shape.text
        }
    }
}

extension ProviderTokenShape {
    fileprivate var text: String {
        var parts: [String] = []
        if key != .provider { parts.append("of the key \(key.rawValue)") }
        switch signature {
        case .raw: break
        case .der: parts.append("with its signature in DER")
        case .wrong: parts.append("signed with another key")
        case .missing: parts.append("without a signature")
        }
        if hasStandardAlphabet { parts.append("in the standard alphabet of base64") }
        if isPadded { parts.append("padded") }
        if algorithm != "ES256" { parts.append("with alg \(algorithm)") }
        if !namesKey { parts.append("without kid") }
        if !namesTeam { parts.append("without iss") }
        if age != 0 { parts.append(age > 0 ? "issued \(age) s ago" : "issued in \(-age) s") }
        if issuedAtForm != .integer { parts.append("with iat \(issuedAtForm.rawValue)") }
        if isVerbose { parts.append("with typ and line feeds") }
        return "\(scheme){a token\(parts.isEmpty ? "" : " ")\(parts.joined(separator: ", "))}"
    }
}
