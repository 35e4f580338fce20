import MockAPNSCore
import MockAPNSJudge
import MockAPNSTransport
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A log file, or anything else that provides the bytes of one and ends: a pipe, a terminal, `/dev/null`.
enum RecordedFile {
    /// Number of bytes read at a time.
    private static let pieceLength = 1 << 20
    /// Maximum time to wait for the next bytes from a pipe, in milliseconds.
    private static let readTimeout: Int32 = 30_000

    /// The name of a log in messages; that of standard input is as for payload files.
    static func name(of path: String) -> String { path == "-" ? "stdin" : path }

    /// Reads a log file, then does something with what was read.
    ///
    /// - Throws: ``MockAPNSWords/StartError/unavailable(_:)`` for a file that cannot be read,
    ///   ``MockAPNSWords/StartError/malformed(_:)`` for one that is not a log.
    static func read(
        _ path: String, into log: inout RecordedLog, finish: (inout RecordedLog) throws(RecordedLog.Mistake) -> Void
    ) throws(StartError) {
        try accessing(path) { descriptor in
            try read(descriptor, path == "-" ? BoundedFile.standardInput : path, into: &log)
            try finish(&log)
        }
    }

    /// Opens a file, and says what is wrong with it.
    private static func accessing(
        _ path: String, _ body: (FileDescriptor) throws -> Void
    ) throws(StartError) {
        do {
            if path == "-" { return try body(.standardInput) }
            let descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: [.nonBlocking, .closeOnExec])
            try descriptor.closeAfter { try body(descriptor) }
        } catch let error as RecordedLog.Mistake {
            throw .malformed("\(name(of: path)):\(error).")
        } catch let error as StartError {
            throw error
        } catch Errno.noSuchFileOrDirectory {
            throw .unavailable("The log \(path) cannot be read (there is no such file).")
        } catch {
            throw .unavailable("The log \(path) cannot be read (\(FolderFiles.reason(error))).")
        }
    }

    private static func read(_ descriptor: FileDescriptor, _ path: String, into log: inout RecordedLog) throws {
        let type = try descriptor.stat().type
        if type == .directory {
            throw StartError.unavailable("The log \(path) is a folder, but a file was expected.")
        }
        // A pipe without a writer yet looks like one that has ended. Standard input may block.
        var isToWait = type == .fifo || path == BoundedFile.standardInput && type != .regular
        var piece: [UInt8] = []
        while true {
            if isToWait, !FileBytes.wait(for: descriptor.rawValue, milliseconds: readTimeout) {
                throw StartError.unavailable(
                    "Nothing was received from the log \(path) for \(readTimeout / 1000) s.")
            }
            piece.removeAll(keepingCapacity: true)
            let count = FileBytes.read(descriptor.rawValue, atMost: pieceLength, into: &piece)
            let wouldBlock = count == -Int(Errno.wouldBlock.rawValue)
            isToWait = wouldBlock || path == BoundedFile.standardInput && type != .regular
            if count == 0 { return }
            if count < 0, !wouldBlock { throw Errno(rawValue: CInt(-count)) }
            try log.read(piece.span)
        }
    }
}
