#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Calls on an open file descriptor that swift-system lacks, or has only with pointers. They are in this target because
/// it may contain unsafe code.
package enum DescriptorAccess {
    /// The result of a write.
    package enum Written: Sendable {
        /// This number of bytes was written, possibly not all.
        case bytes(Int)
        /// The system's error number.
        case failed(Int32)
    }

    /// Calls `write` once; writes as much as there is room for.
    package static func write(_ bytes: Span<UInt8>, to descriptor: Int32) -> Written {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            #if canImport(Glibc)
            unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
            unsafe Musl.write(descriptor, buffer.baseAddress, buffer.count)
            #else
            unsafe Darwin.write(descriptor, buffer.baseAddress, buffer.count)
            #endif
        }
        return count < 0 ? .failed(errno) : .bytes(count)
    }

    /// Waits until a write would not block, or would fail at once.
    ///
    /// - Parameter milliseconds: the maximum time to wait; 0 only checks.
    /// - Returns: false if the time is up or a signal arrived.
    package static func isWritable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) > 0
    }

    /// Returns the byte at an offset of a file, or `nil` if it cannot be read.
    package static func byte(at offset: Int64, of descriptor: Int32) -> UInt8? {
        var byte: UInt8 = 0
        return unsafe pread(descriptor, &byte, 1, off_t(offset)) == 1 ? byte : nil
    }
}
