package import MockAPNSCore
package import SystemPackage

extension LintedPush {
    /// Reads the payload of a file, or of standard input.
    package static func payload(in file: FilePath) throws(StartError) -> [UInt8] {
        try BoundedFile.read(file, .payload)
    }
}
