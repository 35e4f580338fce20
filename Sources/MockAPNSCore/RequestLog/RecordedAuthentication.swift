/// The members of a record's `authentication`, in order.
package enum AuthenticationMember: Int, CaseIterable, Sendable {
    case method, keyID, teamID, issuedAt, providerToken, signature, verdict

    /// The key in the object.
    package var name: String { Self.names[rawValue] }
    private static let names = allCases.map { "\($0)" }
}

// MARK: Writing

extension DecisionText.Source {
    @_lifetime(out: copy out)
    func appendAuthentication(
        _ token: ProviderToken?, _ keys: borrowing RecordKeys, to out: inout OutputSpan<UInt8>
    ) {
        out.append(keys.of(authentication: .method))
        out.appendQuoted(authentication.name)
        out.append(keys.of(authentication: .keyID))
        out.appendJSON(token?.keyID)
        out.append(keys.of(authentication: .teamID))
        out.appendJSON(token?.teamID)
        out.append(keys.of(authentication: .issuedAt))
        out.appendJSON(token?.issuedAt?.seconds)
        out.append(keys.of(authentication: .providerToken))
        out.appendJSON(providerToken == 0 ? nil : Int64(providerToken))
        out.append(keys.of(authentication: .signature))
        switch token?.signatureForm {
        case .raw: out.append("\"raw\"")
        case .der: out.append("\"der\"")
        case nil: out.append("null")
        }
        out.append(keys.of(authentication: .verdict))
        switch verdict {
        case nil: out.append("null")
        case .valid: out.append("\"valid\"")
        case .rejected(let reason): out.appendJSON(reason.name)
        }
        out.append(UInt8(ascii: "}"))
    }
}

// MARK: Reading

/// The authentication recorded in a request line.
struct RecordedAuthentication {
    private(set) var method = AuthenticationMethod.none
    private(set) var number: UInt32 = 0
    private(set) var verdict: AuthenticationVerdict?
    private static let membersByName = Dictionary(
        uniqueKeysWithValues: AuthenticationMember.allCases.map { ($0.name, $0) })
    private static let signatures = [("raw", ProviderToken.SignatureForm.raw), ("der", .der)]
    private var keyID: String?
    private var teamID: String?
    private var issuedAt: Timestamp?
    private var signature: ProviderToken.SignatureForm?

    init() {}

    init(_ member: JSONText.Member) throws(JSONText.Mistake) {
        guard let members = member.value.object else { throw member.mistake("an object") }
        for member in members where !member.value.isNull {
            switch Self.membersByName[member.key] {
            case .method: method = try member.word()
            case .keyID: keyID = try member.text()
            case .teamID: teamID = try member.text()
            case .issuedAt:
                guard let seconds = member.value.int64, Timestamp.countableSeconds ~= seconds else {
                    throw member.mistake("seconds since 1970")
                }
                issuedAt = Timestamp(seconds: seconds)
            case .providerToken: number = UInt32(clamping: try member.count())
            case .signature: signature = try member.word(Self.signatures)
            case .verdict: verdict = try member.word()
            case nil: break
            }
        }
    }

    /// Returns the provider token, without its signature.
    ///
    /// - Parameters:
    ///   - authorization: the value of the field.
    ///   - number: the number of the token in the log.
    func token(_ authorization: String?, number: Int?) -> ProviderToken? {
        guard let authorization, let number else { return nil }
        return ProviderToken(
            recorded: Array(authorization.utf8), hash: UInt64(number), keyID: keyID, teamID: teamID, issuedAt: issuedAt,
            signatureForm: signature)
    }
}
