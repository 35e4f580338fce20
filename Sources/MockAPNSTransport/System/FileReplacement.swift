#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Gives a file another name, as `rename` does and neither swift-system nor FoundationEssentials: a file that has the name
/// already is replaced at once, so that nobody finds none, or a part of one. It is in this target because names are C
/// strings there.
package enum FileReplacement {
    /// - Returns: the system's error number, or `nil` when it is done.
    package static func rename(_ file: String, to name: String) -> Int32? {
        #if canImport(Glibc)
        let result = unsafe Glibc.rename(file, name)
        #elseif canImport(Musl)
        let result = unsafe Musl.rename(file, name)
        #else
        let result = unsafe Darwin.rename(file, name)
        #endif
        return result == 0 ? nil : errno
    }
}
