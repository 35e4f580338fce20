public import MockAPNS

extension MockAPNSServer {
    /// The clients that may send requests to the admin listener, in addition to the fixed rules: it accepts IP
    /// addresses and names of private networks as its own name, and refuses web pages of other origins.
    public struct AdminAccess: Sendable {
        /// Additional names that clients may use; `*` means every name, `*.example.com` all names with one label before
        /// that.
        public var names: [String]
        /// The token that every request except health checks has to send, as `Authorization: Bearer TOKEN`; `nil`
        /// requires none.
        public var token: String?

        /// What a reverse proxy may put before all paths, such as `/mock`; empty for nothing. The page and the API are below
        /// it, and without it, too.
        public var prefix: String

        /// Creates access rules. Without names and a token, anyone who reaches the port by a private name may send
        /// requests.
        public init(names: [String] = [], token: String? = nil, prefix: String = "") {
            self.names = names
            self.token = token
            self.prefix = prefix
        }

        /// Returns whether a text is valid as a ``prefix``: parts of plain characters, each behind a slash.
        package static func isPrefix(_ text: String) -> Bool { text.isEmpty || PathPrefix.isPrefix(text) }

        /// Returns whether a text is valid as one of ``names``.
        package static func isName(_ text: String) -> Bool { HostNames.isName(text) }

        /// Returns whether a text is valid as a ``token``: visible ASCII characters, as allowed in a header field.
        package static func isToken(_ text: String) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy { UInt8(ascii: "!")...UInt8(ascii: "~") ~= $0 }
        }

        /// - Throws: ``MockAPNSWords/StartError/malformed(_:)`` if a name, the token or the prefix is invalid.
        func check() throws(StartError) {
            if !Self.isPrefix(prefix) {
                throw .malformed("The prefix of the admin listener is \"\(prefix)\"; expected a path such as /mock.")
            }
            if let name = names.first(where: { !Self.isName($0) }) {
                throw .malformed("The admin listener cannot be called \"\(name)\"; expected host names, or *.")
            }
            if let token, !Self.isToken(token) {
                throw .malformed("The token of the admin listener must be visible ASCII characters without spaces.")
            }
        }
    }
}
