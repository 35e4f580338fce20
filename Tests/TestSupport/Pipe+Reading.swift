package import Foundation
import MockAPNSTransport

/// Foundation's reading of a pipe ends the process when a signal interrupts it; this goes on.
extension Pipe {
    /// What there is, waiting for it; nothing at the end.
    package func readSome() -> [UInt8] {
        var bytes: [UInt8] = []
        _ = FileBytes.read(fileHandleForReading.fileDescriptor, atMost: 1 << 16, into: &bytes)
        return bytes
    }
}
