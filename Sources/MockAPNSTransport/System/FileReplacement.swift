#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Renames a file like `rename`, which neither swift-system nor FoundationEssentials provides: an existing file with
/// that name is replaced atomically, so that no reader sees a missing or partial file. It is in this target because
/// names are C strings there.
package enum FileReplacement {
    /// Renames a file.
    ///
    /// - Returns: the system's error number, or `nil` on success.
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
