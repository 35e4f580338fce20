#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads from an open file into an array; swift-system can only read into unmanaged memory.
package enum FileBytes {
    /// Reads what is available now.
    ///
    /// - Parameters:
    ///   - descriptor: the open file.
    ///   - count: the maximum number of bytes.
    ///   - bytes: the array to append to.
    /// - Returns: the number of bytes read, 0 at the end of the file, or a negative system error number.
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

    /// Waits for input or the end of the file, for at most this many milliseconds.
    ///
    /// - Returns: whether there is any.
    package static func wait(for descriptor: Int32, milliseconds: Int32) -> Bool {
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&question, 1, milliseconds) > 0
    }
}
