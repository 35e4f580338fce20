/// The header fields that APNs evaluates; all others are ignored.
///
/// See [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
package enum HeaderName: UInt8, Sendable, CaseIterable {
    case method
    case path
    case authorization
    case apnsID
    case topic
    case pushType
    case priority
    case expiration
    case collapseID

    /// The name on the wire; HTTP/2 has lower-case names only (RFC 9113, section 8.2).
    package var name: String {
        switch self {
        case .method: ":method"
        case .path: ":path"
        case .authorization: "authorization"
        case .apnsID: "apns-id"
        case .topic: "apns-topic"
        case .pushType: "apns-push-type"
        case .priority: "apns-priority"
        case .expiration: "apns-expiration"
        case .collapseID: "apns-collapse-id"
        }
    }

    /// Finds a name by its length and then its bytes; fails for one that APNs does not evaluate.
    @inline(__always)
    init?(_ name: Span<UInt8>) {
        switch name.count {
        case 5:
            guard name[0] == UInt8(ascii: ":"), name.word(at: 1) == letters("p", "a", "t", "h") else { return nil }
            self = .path
        case 7:
            let head = name.word(at: 0)
            let tail = name.word(at: 3)
            if head == letters(":", "m", "e", "t"), tail == letters("t", "h", "o", "d") {
                self = .method
            } else if head == letters("a", "p", "n", "s"), tail == letters("s", "-", "i", "d") {
                self = .apnsID
            } else {
                return nil
            }
        case 10:
            guard name.isAPNS, name.word(at: 4) == letters("-", "t", "o", "p"),
                name.word(at: 6) == letters("o", "p", "i", "c")
            else { return nil }
            self = .topic
        case 13:
            let tail = name.word(at: 9)
            if name.isAPNS {
                guard name.word(at: 4) == letters("-", "p", "r", "i"), name.word(at: 8) == letters("o", "r", "i", "t"),
                    tail == letters("r", "i", "t", "y")
                else { return nil }
                self = .priority
            } else {
                guard name.word(at: 0) == letters("a", "u", "t", "h"), name.word(at: 4) == letters("o", "r", "i", "z"),
                    name.word(at: 8) == letters("a", "t", "i", "o"), tail == letters("t", "i", "o", "n")
                else { return nil }
                self = .authorization
            }
        case 14:
            guard name.isAPNS, name.word(at: 4) == letters("-", "p", "u", "s"),
                name.word(at: 8) == letters("h", "-", "t", "y"),
                name.word(at: 10) == letters("t", "y", "p", "e")
            else { return nil }
            self = .pushType
        case 15:
            guard name.isAPNS, name.word(at: 4) == letters("-", "e", "x", "p"),
                name.word(at: 8) == letters("i", "r", "a", "t"),
                name.word(at: 11) == letters("t", "i", "o", "n")
            else { return nil }
            self = .expiration
        case 16:
            guard name.isAPNS, name.word(at: 4) == letters("-", "c", "o", "l"),
                name.word(at: 8) == letters("l", "a", "p", "s"),
                name.word(at: 12) == letters("e", "-", "i", "d")
            else { return nil }
            self = .collapseID
        default:
            return nil
        }
    }
}

/// Returns four letters as one number, to be compared at once.
@inline(__always)
func letters(_ a: Unicode.Scalar, _ b: Unicode.Scalar, _ c: Unicode.Scalar, _ d: Unicode.Scalar) -> UInt32 {
    UInt32(UInt8(ascii: a)) | UInt32(UInt8(ascii: b)) << 8 | UInt32(UInt8(ascii: c)) << 16
        | UInt32(UInt8(ascii: d)) << 24
}

extension Span<UInt8> {
    @inline(__always)
    fileprivate var isAPNS: Bool { word(at: 0) == letters("a", "p", "n", "s") }
}
