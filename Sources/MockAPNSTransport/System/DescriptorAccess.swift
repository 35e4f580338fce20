#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Calls on an open file descriptor that swift-system does not have, or only with pointers. They are in this target
/// because unsafe code is.
package enum DescriptorAccess {
    /// What came of a write.
    package enum Written: Sendable {
        /// This number of bytes was taken, perhaps not all.
        case bytes(Int)
        /// The system's error number.
        case failed(Int32)
    }

    /// One `write`: it takes what there is room for.
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

    /// Waits until a write would not wait, or would fail at once.
    ///
    /// - Parameter milliseconds: the longest time to wait; 0 only looks.
    /// - Returns: false when the time is over, and when a signal came.
    package static func isWritable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) > 0
    }

    /// The byte at an offset of a file, or `nil` when it cannot be read.
    package static func byte(at offset: Int64, of descriptor: Int32) -> UInt8? {
        var byte: UInt8 = 0
        return unsafe pread(descriptor, &byte, 1, off_t(offset)) == 1 ? byte : nil
    }
}
