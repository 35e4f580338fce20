/// A device token: 32 to 100 bytes, which providers write as 64 to 200 hexadecimal digits in either case.
///
/// Apple says only that its length varies
/// ([Registering your app with APNs](https://developer.apple.com/documentation/usernotifications/registering-your-app-with-apns));
/// real ones have 32 bytes. It is stored as words without references, so that creating one allocates no memory.
package struct DeviceToken: Sendable, Hashable {
    /// The valid lengths of a token in bytes.
    package static let lengths = 32...100

    /// The first 32 bytes; most tokens have no more.
    struct Head: Sendable, Hashable {
        var a: UInt64
        var b: UInt64
        var c: UInt64
        var d: UInt64

        subscript(index: Int) -> UInt64 {
            get {
                switch index {
                case 0: a
                case 1: b
                case 2: c
                default: d
                }
            }
            set {
                switch index {
                case 0: a = newValue
                case 1: b = newValue
                case 2: c = newValue
                default: d = newValue
                }
            }
        }
    }

    /// The remaining bytes, padded with zeros to nine words.
    struct Tail: Sendable, Hashable {
        var first = Head(a: 0, b: 0, c: 0, d: 0)
        var second = Head(a: 0, b: 0, c: 0, d: 0)
        var last: UInt64 = 0

        subscript(index: Int) -> UInt64 {
            get { index < 4 ? first[index] : index < 8 ? second[index - 4] : last }
            set {
                switch index {
                case 0..<4: first[index] = newValue
                case 4..<8: second[index - 4] = newValue
                default: last = newValue
                }
            }
        }
    }

    var head: Head
    var tail = Tail()
    /// The length in bytes.
    package let count: Int

    /// The token of 64 zeros.
    package static let zero = DeviceToken(head: Head(a: 0, b: 0, c: 0, d: 0), tail: Tail(), count: 32)

    /// Parses hexadecimal digits; fails for other characters, an odd number of digits, fewer than 64 or more than 200.
    @inline(__always)
    package init?(hex text: Span<UInt8>) {
        guard text.count & 1 == 0, Self.lengths ~= text.count / 2 else { return nil }
        count = text.count / 2
        var wrong: UInt64 = 0
        head = Head(
            a: text.extracting(0..<16).hexWord(&wrong), b: text.extracting(16..<32).hexWord(&wrong),
            c: text.extracting(32..<48).hexWord(&wrong), d: text.extracting(48..<64).hexWord(&wrong))
        if text.count > 64 { readTail(text.extracting(droppingFirst: 64), &wrong) }
        guard wrong == 0 else { return nil }
    }

    private mutating func readTail(_ text: Span<UInt8>, _ wrong: inout UInt64) {
        for index in 0..<text.count / 16 {
            tail[index] = text.extracting(index * 16..<index * 16 + 16).hexWord(&wrong)
        }
        var word: UInt64 = 0
        let rest = text.extracting(droppingFirst: text.count / 16 * 16)
        for index in rest.indices {
            guard rest[index].isHexDigit else {
                wrong = 1
                return
            }
            // A letter has bit 6 set, and its low four bits are 9 less than its value.
            let digit = (rest[index] & 15) + (rest[index] >> 6) * 9
            word |= UInt64(digit) << UInt64(60 - 4 * index)
        }
        if !rest.isEmpty { tail[text.count / 16] = word }
    }

    init(head: Head, tail: Tail, count: Int) {
        self.head = head
        self.tail = tail
        self.count = count
    }

    /// Creates a token of 32 bytes from random numbers.
    package init(drawnFrom random: inout SeededRandom) {
        self.init(
            head: Head(a: random.next(), b: random.next(), c: random.next(), d: random.next()), tail: Tail(), count: 32)
    }

    /// Creates the token that a seed hands out for a purpose: the same wherever a scenario is read.
    package init(seed: UInt64, for purpose: String) {
        var random = SeededRandom(seed: seed ^ Digest.number(of: Array(purpose.utf8)))
        self.init(drawnFrom: &random)
    }

    /// Parses hexadecimal digits, like ``init(hex:)-(Span<UInt8>)``.
    package init?(hex text: String) {
        let bytes = Array(text.utf8)
        self.init(hex: bytes.span)
    }

    /// Appends the digits in lower case.
    package func appendHex(to bytes: inout [UInt8]) {
        for index in 0..<count {
            let word = index < 32 ? head[index / 8] : tail[index / 8 - 4]
            let byte = UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index % 8)))
            bytes.append(byte >> 4 < 10 ? 0x30 + byte >> 4 : 0x57 + byte >> 4)
            bytes.append(byte & 15 < 10 ? 0x30 + byte & 15 : 0x57 + byte & 15)
        }
    }

    /// The digits in lower case.
    package var hex: String {
        var bytes: [UInt8] = []
        appendHex(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a hash that cannot be predicted without the key, so that clients cannot make tokens that collide.
    @inline(__always)
    func hash(_ key: HashKey) -> UInt64 {
        var hash = HashKey.fold(head.a ^ key.a, head.b ^ key.b) ^ HashKey.fold(head.c ^ key.c, head.d ^ key.d)
        if count > 32 {
            hash =
                HashKey.fold(hash ^ tail.first.a, tail.first.b ^ key.b)
                ^ HashKey.fold(tail.first.c ^ key.c, tail.first.d ^ key.d)
            hash =
                HashKey.fold(hash ^ tail.second.a, tail.second.b ^ key.b)
                ^ HashKey.fold(tail.second.c ^ key.c, tail.second.d ^ key.d)
            hash = HashKey.fold(hash ^ tail.last, key.a)
        }
        return HashKey.fold(hash ^ UInt64(truncatingIfNeeded: count), key.c)
    }
}

/// The secret that makes a hash unpredictable: words drawn by the server.
struct HashKey: Sendable {
    let a: UInt64
    let b: UInt64
    let c: UInt64
    let d: UInt64

    init(seed: UInt64) {
        var filler = SplitMix64(state: seed)
        (a, b, c, d) = (filler.next() | 1, filler.next() | 1, filler.next() | 1, filler.next() | 1)
    }

    /// Returns the exclusive or of both halves of a 128-bit product.
    @inline(__always)
    static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.high ^ product.low
    }
}

extension Span<UInt8> {
    /// Returns the word written by 16 hexadecimal digits; `wrong` becomes nonzero if they are invalid. Processes eight
    /// digits at a time in one word.
    @inline(__always)
    fileprivate func hexWord(_ wrong: inout UInt64) -> UInt64 {
        let high = eightBytes(at: 0)
        let low = eightBytes(at: 8)
        return UInt64(Self.nibbles(high, &wrong)) << 32 | UInt64(Self.nibbles(low, &wrong))
    }

    /// Returns eight bytes as a word, the first one lowest.
    @inline(__always)
    fileprivate func eightBytes(at offset: Int) -> UInt64 {
        let bytes = extracting(offset..<offset + 8)
        return UInt64(bytes[0]) | UInt64(bytes[1]) << 8 | UInt64(bytes[2]) << 16 | UInt64(bytes[3]) << 24
            | UInt64(bytes[4]) << 32 | UInt64(bytes[5]) << 40 | UInt64(bytes[6]) << 48 | UInt64(bytes[7]) << 56
    }

    @inline(__always)
    private static func nibbles(_ text: UInt64, _ wrong: inout UInt64) -> UInt32 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops = ones &* 0x80
        // Bit 7 of a byte of `x + (128 - n)` shows whether x is at least n, provided x is below 128.
        let lower = (text | ones &* 0x20) & ~tops
        let plain = text & ~tops
        let isDigit = (plain &+ ones &* (0x80 - 0x30)) & ~(plain &+ ones &* (0x80 - 0x3A))
        let isLetter = (lower &+ ones &* (0x80 - 0x61)) & ~(lower &+ ones &* (0x80 - 0x67))
        wrong |= (~(isDigit | isLetter) | text) & tops
        // A letter's low four bits are 9 less than its value.
        var word = (text & (ones &* 0x0F)) &+ ((isLetter & tops) >> 7) &* 9
        // The first digit is in the lowest byte, and has to become the highest.
        word = (word << 4 | word >> 8) & 0x00FF_00FF_00FF_00FF
        word = (word | word >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: word | word >> 16).byteSwapped
    }
}
