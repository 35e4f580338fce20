import CMockHiredis
import NIOCore

/// A reply of the engine, in the protocol RESP2.
enum RESPValue: Sendable, Hashable {
    case text([UInt8])
    case number(Int64)
    case list([RESPValue])
    case none
    /// An error reply, such as `ERR unknown command`.
    case error(String)

    /// The text, if it is one that is UTF-8.
    var string: String? {
        if case .text(let bytes) = self { String(validating: bytes, as: UTF8.self) } else { nil }
    }

    var bytes: [UInt8]? { if case .text(let bytes) = self { bytes } else { nil } }

    var list: [RESPValue]? { if case .list(let list) = self { list } else { nil } }
}

/// A mistake in received bytes that are not RESP.
struct RESPMistake: Error, Hashable, CustomStringConvertible {
    let description: String
    /// Whether it may be RESP, but is too long.
    var isTooLong = false

    static func tooLong(_ description: String) -> Self { Self(description: description, isTooLong: true) }
}

/// Reads replies from the bytes of a connection, piece by piece, with the reader of hiredis.
///
/// This file holds all code of the fleet that handles memory by hand.
@safe final class RESPReader {
    private let reader: UnsafeMutablePointer<redisReader>
    private var meter = ReplyMeter()
    /// Why nothing more can be read.
    private var failure: RESPMistake?

    /// Whether a reply has begun and is not whole.
    var isWithinReply: Bool { meter.isWithinReply }

    init() {
        guard let reader = unsafe redisReaderCreate() else { fatalError("There is no memory for a reader.") }
        unsafe self.reader = reader
    }

    deinit { unsafe redisReaderFree(reader) }

    /// Takes the next bytes.
    func feed(_ bytes: Span<UInt8>) throws(RESPMistake) {
        guard !bytes.isEmpty else { return }
        if let failure { throw failure }
        do throws(RESPMistake) { try meter.take(bytes) } catch {
            failure = error
            throw error
        }
        let result = unsafe bytes.withUnsafeBytes {
            unsafe redisReaderFeed(reader, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
        }
        if result != REDIS_OK { throw mistake }
    }

    /// Returns the next reply; `nil` until all of it is there.
    func next() throws(RESPMistake) -> RESPValue? {
        if let failure { throw failure }
        var reply: UnsafeMutableRawPointer?
        guard unsafe redisReaderGetReply(reader, &reply) == REDIS_OK else { throw mistake }
        guard let reply = unsafe reply else { return nil }
        defer { unsafe freeReplyObject(reply) }
        return unsafe try Self.value(reply.assumingMemoryBound(to: redisReply.self))
    }

    private static func value(_ reply: UnsafeMutablePointer<redisReply>) throws(RESPMistake) -> RESPValue {
        let reply = unsafe reply.pointee
        switch unsafe reply.type {
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: return unsafe .text(text(reply))
        case REDIS_REPLY_ERROR: return unsafe .error(String(decoding: text(reply), as: UTF8.self))
        case REDIS_REPLY_INTEGER: return unsafe .number(Int64(reply.integer))
        case REDIS_REPLY_NIL: return .none
        case REDIS_REPLY_ARRAY:
            var list: [RESPValue] = []
            for index in unsafe 0..<reply.elements {
                guard let element = unsafe reply.element[index] else { break }
                list.append(unsafe try value(element))
            }
            return .list(list)
        default: throw RESPMistake(description: "a reply of an unknown type was received")
        }
    }

    private static func text(_ reply: redisReply) -> [UInt8] {
        guard let start = unsafe reply.str else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(reply.len)))
    }

    private var mistake: RESPMistake {
        let text = unsafe withUnsafeBytes(of: reader.pointee.errstr) { unsafe Array($0.prefix { $0 != 0 }) }
        return RESPMistake(description: "not a reply of Redis or Valkey: \(String(decoding: text, as: UTF8.self))")
    }
}

extension ByteBuffer {
    /// Creates a command for the engine from its name and arguments.
    init(command arguments: [[UInt8]], allocator: ByteBufferAllocator) {
        // Its bytes are copied once: a frame has half a million.
        self = allocator.buffer(capacity: arguments.reduce(16) { $0 + $1.count + 16 })
        writeString("*\(arguments.count)\r\n")
        for argument in arguments {
            writeString("$\(argument.count)\r\n")
            writeBytes(argument)
            writeString("\r\n")
        }
    }
}
