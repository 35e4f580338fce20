import CMockOpenSSL

/// A name in a server certificate's subject alternative name (RFC 5280, section 4.2.1.6).
package enum SubjectName: Equatable, Hashable {
    /// A host name in lower case.
    case dns(String)
    /// 4 or 16 bytes.
    case ip([UInt8])

    /// Parses an IP address or a host name: letters, digits, `-`, `.` and `_`, and `*` as the first label.
    package init(_ text: String) throws(OpenSSLError) {
        ERR_clear_error()
        if !text.utf8.contains(0), let octets = unsafe a2i_IPADDRESS(text) {
            defer { unsafe ASN1_OCTET_STRING_free(octets) }
            self = unsafe .ip(PeerCertificate.bytes(octets))
            return
        }
        ERR_clear_error()
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "*"):
                true
            default: false
            }
        }
        guard isName, (1...253).contains(text.utf8.count) else {
            throw OpenSSLError("\"\(text)\" is neither a host name nor an IP address")
        }
        self = .dns(text.lowercased())
    }

    /// Returns all DNS names and IP addresses of a certificate, in order.
    static func all(of certificate: OpaquePointer) -> [SubjectName] {
        guard let list = unsafe X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else { return [] }
        let names = OpaquePointer(list)
        defer { unsafe GENERAL_NAMES_free(names) }
        var found: [SubjectName] = []
        let count = unsafe mock_GENERAL_NAMES_num(names)
        for index in 0..<count {
            guard let name = unsafe mock_GENERAL_NAMES_value(names, index) else { continue }
            var type: Int32 = 0
            let value = unsafe GENERAL_NAME_get0_value(name, &type)
            // Both of these are kinds of ASN1_STRING; the others are not.
            guard type == GEN_DNS || type == GEN_IPADD, let value = unsafe value else { continue }
            let bytes = unsafe PeerCertificate.bytes(value.assumingMemoryBound(to: ASN1_STRING.self))
            found.append(type == GEN_DNS ? .dns(String(decoding: bytes, as: UTF8.self).lowercased()) : .ip(bytes))
        }
        return found
    }

    /// The entry of a GeneralNames: `[2]` or `[7]`, implicit.
    var der: [UInt8] {
        switch self {
        case .dns(let name): DERWriter.element(0x82, Array(name.utf8))
        case .ip(let bytes): DERWriter.element(0x87, bytes)
        }
    }

    /// The usual notation; IPv6 with all groups and no leading zeros, `0:0:0:0:0:0:0:1`.
    var text: String {
        switch self {
        case .dns(let name): name
        case .ip(let bytes) where bytes.count == 16:
            stride(from: 0, to: 16, by: 2)
                .map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
        case .ip(let bytes): bytes.map { String($0) }.joined(separator: ".")
        }
    }
}

/// Writes DER (ITU-T X.690).
enum DERWriter {
    static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        if contents.count < 0x80 {
            length = [UInt8(contents.count)]
        } else {
            var rest = contents.count
            while rest > 0 {
                length.insert(UInt8(rest & 0xFF), at: 0)
                rest >>= 8
            }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [tag] + length + contents
    }

    static func sequence(_ elements: [[UInt8]]) -> [UInt8] { element(0x30, Array(elements.joined())) }

    static func utf8(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }

    static let null: [UInt8] = [0x05, 0x00]
}
