/// Follows the replies in the bytes of a connection, without keeping them, and refuses those that are too long. The reader
/// of hiredis keeps all that comes, and makes room for all that is announced.
struct ReplyMeter {
    /// Maximum number of bytes of a reply. The longest ones are frames: sixteen of each replica, which have half a megabyte
    /// unless payloads are large.
    static let byteLimit = 256 << 20
    /// Maximum number of values of a reply, in all of its lists. An entry of a stream has about ten.
    static let valueLimit = 1 << 17
    /// Maximum length of a line: a status, an error, a number, or the length of what follows.
    static let lineLimit = 1 << 16
    /// The part of a line that may hold a number.
    private static let numberLength = 32

    private var bytes = 0
    private var values = 0
    /// The number of values of the present reply that are still to come.
    private var pending = 1
    /// The number of bytes of a text that are still to come, with its line feed.
    private var textLeft = 0
    private var line: (beginning: [UInt8], length: Int, last: UInt8) = ([], 0, 0)

    /// Whether a reply has begun and is not whole.
    var isWithinReply: Bool { bytes > 0 }

    /// Takes the next bytes.
    ///
    /// - Throws: ``RESPMistake`` if a reply is too long, or will be.
    mutating func take(_ piece: Span<UInt8>) throws(RESPMistake) {
        var index = 0
        while index < piece.count {
            if textLeft > 0 {
                let count = min(textLeft, piece.count - index)
                index += count
                bytes += count
                textLeft -= count
                if textLeft == 0 { endValue() }
            } else {
                try take(piece[index])
                index += 1
            }
        }
    }

    /// Takes a byte of a line.
    private mutating func take(_ byte: UInt8) throws(RESPMistake) {
        bytes += 1
        line.length += 1
        if line.length <= Self.numberLength { line.beginning.append(byte) }
        guard line.length <= Self.lineLimit else { throw .tooLong("a line of more than 64 KB was received") }
        guard byte == UInt8(ascii: "\n"), line.last == UInt8(ascii: "\r") else {
            line.last = byte
            return
        }
        let (kind, number) = (line.beginning[0], self.number)
        line.beginning.removeAll(keepingCapacity: true)
        (line.length, line.last) = (0, 0)
        switch kind {
        case UInt8(ascii: "*") where number > 0: try beginList(of: number)
        case UInt8(ascii: "$") where number >= 0:
            guard number <= Self.byteLimit - bytes else {
                throw .tooLong("a text of \(number) bytes was announced, in a reply of at most 256 MB")
            }
            textLeft = number + 2
        case UInt8(ascii: "*"), UInt8(ascii: "$"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ":"): endValue()
        default: throw RESPMistake(description: "not a reply of Redis or Valkey")
        }
        guard bytes <= Self.byteLimit else { throw .tooLong("a reply of more than 256 MB was received") }
    }

    /// The number in a line; −1 for what is none, which the reader refuses.
    private var number: Int {
        let digits = line.beginning.dropFirst().prefix { $0 != UInt8(ascii: "\r") }
        return Int(String(decoding: digits, as: UTF8.self)) ?? -1
    }

    private mutating func beginList(of count: Int) throws(RESPMistake) {
        guard count <= Self.valueLimit - values else {
            throw .tooLong("a list of \(count) values was announced, in a reply of at most \(Self.valueLimit)")
        }
        values += count
        pending += count - 1
    }

    private mutating func endValue() {
        pending -= 1
        if pending == 0 { (bytes, values, pending) = (0, 0, 1) }
    }
}
