import MockAPNS

extension AdminServer {
    /// Who may ask the admin listener, beyond what is always so: it answers to IP addresses and to names of private
    /// networks, and to no web page of another origin.
    public struct Access: Sendable {
        /// Further names that clients may ask it by; `*` is every name, `*.example.com` all with one part before that.
        public var names: [String]
        /// What every call but health checks has to send, as `Authorization: Bearer TOKEN`; `nil` asks for nothing.
        public var token: String?

        /// The names and the token; without them, whoever reaches the port by a private name may ask.
        public init(names: [String] = [], token: String? = nil) {
            self.names = names
            self.token = token
        }

        /// Whether it can be one of ``names``.
        package static func isName(_ text: String) -> Bool { HostNames.isName(text) }

        /// Whether it can be a ``token``: visible characters of ASCII, as fit into a header field.
        package static func isToken(_ text: String) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy { UInt8(ascii: "!")...UInt8(ascii: "~") ~= $0 }
        }

        /// - Throws: ``StartError/malformed(_:)`` when a name or the token cannot be used.
        func check() throws(StartError) {
            if let name = names.first(where: { !Self.isName($0) }) {
                throw .malformed("The admin listener cannot have the name \"\(name)\"; it takes host names, or *.")
            }
            if let token, !Self.isToken(token) {
                throw .malformed("The token of the admin listener must be visible ASCII characters without blanks.")
            }
        }
    }
}
