#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads from an open file into an array, which swift-system only does into memory that is not managed.
package enum FileBytes {
    /// Reads what there is now.
    ///
    /// - Parameters:
    ///   - descriptor: the open file.
    ///   - count: maximum number of bytes.
    ///   - bytes: gets what was read at its end.
    /// - Returns: how many bytes were read, 0 at the end of the file; or a negative system error number.
    package static func read(_ descriptor: Int32, atMost count: Int, into bytes: inout [UInt8]) -> Int {
        var result = 0
        let part = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            repeat {
                #if canImport(Glibc)
                result = unsafe Glibc.read(descriptor, buffer.baseAddress, count)
                #elseif canImport(Musl)
                result = unsafe Musl.read(descriptor, buffer.baseAddress, count)
                #else
                result = unsafe Darwin.read(descriptor, buffer.baseAddress, count)
                #endif
                if result < 0 { result = -Int(errno) }
            } while result == -Int(EINTR)
            initializedCount = max(0, result)
        }
        bytes.append(contentsOf: part)
        return result
    }

    /// Waits until there is something to read, or the end, for so many milliseconds at most.
    ///
    /// - Returns: whether there is.
    package static func wait(for descriptor: Int32, milliseconds: Int32) -> Bool {
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&question, 1, milliseconds) > 0
    }
}
