internal import CMockProcess

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The arguments and environment of this process, byte by byte: Swift's strings repair invalid UTF-8. It is in this
/// target because these are C strings.
package enum ProcessStart {
    /// The arguments, starting with the name of the program.
    package static var arguments: [[UInt8]] {
        let given = unsafe strings { unsafe mock_argument($0) }
        // Musl passes them to `main` alone.
        return given.isEmpty ? CommandLine.arguments.map { Array($0.utf8) } : given
    }

    /// The environment, each variable as `NAME=value`.
    package static var variables: [[UInt8]] { unsafe strings { unsafe mock_variable($0) } }

    private static func strings(_ string: (Int32) -> UnsafePointer<CChar>?) -> [[UInt8]] {
        var strings: [[UInt8]] = []
        while let text = unsafe string(Int32(strings.count)) {
            strings.append(unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
        }
        return strings
    }
}
