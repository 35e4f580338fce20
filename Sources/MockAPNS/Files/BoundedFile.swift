import MockAPNSCore
import MockAPNSTransport
import SystemPackage

/// Reads files named by the user, which may be anything: an endless device, a pipe without a writer, two gigabytes.
enum BoundedFile {
    /// The expected content of a file.
    enum Kind {
        /// A key or certificates in PEM, in a regular file.
        case pem
        /// A bundle of trusted authorities, in a regular file.
        case bundle
        /// A scenario. It may also come from a pipe, provided the text arrives soon.
        case scenario
        /// Answers of an earlier probe, as a scenario.
        case answers
        /// Localized strings of an app, as a scenario.
        case strings
        /// A payload for lint. It may also come from a pipe, as standard input does.
        case payload

        /// Maximum number of bytes.
        var limit: Int {
            switch self {
            case .pem: 64 << 10
            case .bundle: 16 << 20
            case .scenario, .answers, .strings: 64 << 20
            case .payload: 1 << 20
            }
        }

        /// Its content, and the limit of its size.
        var description: String {
            let size = limit < 1 << 20 ? "\(limit >> 10) KiB" : "\(limit >> 20) MiB"
            return "\(size), the maximum for \(name)"
        }

        /// Its content, as the object of a sentence.
        var name: String {
            switch self {
            case .pem: "a key or certificates"
            case .bundle: "a bundle of certificates"
            case .scenario: "a scenario"
            case .answers: "a file of answers"
            case .strings: "a file of localized strings"
            case .payload: "a payload"
            }
        }

        /// Whether it may come from a pipe.
        var isReadFromPipes: Bool { self != .pem && self != .bundle }
    }

    /// The time a pipe's writer may take for the next bytes, in milliseconds.
    private static let pipeTimeout: Int32 = 5000

    /// The time the writer to standard input may take for the next bytes, in milliseconds.
    private static let inputTimeout: Int32 = 30_000

    /// The interval between checks whether to stop, in milliseconds.
    private static let turn: Int32 = 100

    /// The name of standard input in messages.
    static let standardInput = "standard input"

    /// Returns the bytes of a file that has to exist. Opening it never blocks.
    ///
    /// - Parameter stop: checked regularly; ends reading with an error.
    static func read(_ file: FilePath, _ kind: Kind, _ stop: CancellationCheck = .never) throws(StartError) -> [UInt8] {
        try whole(try readBeginning(file, kind, stop), file, kind)
    }

    /// Like ``read(_:_:_:)``, but of a file that is too long it returns somewhat more than the maximum.
    ///
    /// - Parameter file: the file; `nil` for standard input.
    static func readBeginning(
        _ file: FilePath?, _ kind: Kind, _ stop: CancellationCheck = .never
    ) throws(StartError) -> [UInt8] {
        do {
            guard let file else { return try readStandardInput(kind, stop) }
            // Opened this way, a pipe does not wait for a writer.
            let descriptor = try FileDescriptor.open(file, .readOnly, options: [.nonBlocking, .closeOnExec])
            return try descriptor.closeAfter { try read(descriptor, file, kind, stop) }
        } catch let error as StartError {
            throw error
        } catch Errno.noSuchFileOrDirectory {
            throw .unavailable(MissingFile.sentence(file ?? "", kind))
        } catch Errno.permissionDenied {
            throw .unavailable("The file \(file ?? "") cannot be read; check its permissions.")
        } catch {
            let name = file.map { "The file \($0)" } ?? "Standard input"
            throw .unavailable("\(name) cannot be read (\(FolderFiles.reason(error))).")
        }
    }

    /// Returns the bytes, unless they are more than the maximum.
    static func whole(_ bytes: [UInt8], _ file: FilePath?, _ kind: Kind) throws(StartError) -> [UInt8] {
        guard bytes.count > kind.limit else { return bytes }
        throw .unavailable("\(file?.string ?? "Standard input") has more than \(kind.description).")
    }

    /// Reads what a shell or another program passes on: a file, a pipe or a socket, as programs written for Node do.
    private static func readStandardInput(_ kind: Kind, _ stop: CancellationCheck) throws -> [UInt8] {
        let descriptor = FileDescriptor.standardInput
        let type = try descriptor.stat().type
        if type == .directory { throw StartError.unavailable("Standard input is a folder, not a file.") }
        var bytes: [UInt8] = []
        while bytes.count <= kind.limit {
            if type != .regular, try !wait(for: descriptor, stop, inputTimeout) {
                throw StartError.unavailable("Nothing was received from standard input for \(inputTimeout / 1000) s.")
            }
            let count = FileBytes.read(
                descriptor.rawValue, atMost: min(1 << 20, kind.limit + 1 - bytes.count), into: &bytes)
            if count == 0 { break }
            // The process that opened it may have made it non-blocking.
            if count < 0, count != -Int(Errno.wouldBlock.rawValue) { throw Errno(rawValue: CInt(-count)) }
        }
        return bytes
    }

    private static func read(
        _ descriptor: FileDescriptor, _ file: FilePath, _ kind: Kind, _ stop: CancellationCheck
    ) throws -> [UInt8] {
        let type = try descriptor.stat().type
        switch (type, kind) {
        case (.regular, _): break
        case (.fifo, let kind) where kind.isReadFromPipes: break
        case (.directory, .scenario): throw StartError.unavailable(MissingFile.sentence(folder: file))
        case (.directory, _): throw StartError.unavailable("\(file) is a folder, not a file.")
        case (_, .pem), (_, .bundle):
            throw StartError.unavailable("\(file) is not a regular file; keys and certificates are read from one.")
        default:
            throw StartError.unavailable(
                "\(file) is neither a regular file nor a pipe; \(kind.name) is read from these.")
        }
        var bytes: [UInt8] = []
        while bytes.count <= kind.limit {
            try stop.check()
            let room = min(1 << 20, kind.limit + 1 - bytes.count)
            switch FileBytes.read(descriptor.rawValue, atMost: room, into: &bytes) {
            case 0: return bytes
            case 1...: continue
            case -Int(Errno.wouldBlock.rawValue):
                guard try wait(for: descriptor, stop, pipeTimeout) else {
                    throw StartError.unavailable(
                        "Nothing was received from the pipe \(file) for \(pipeTimeout / 1000) s.")
                }
            case let error: throw Errno(rawValue: CInt(-error))
            }
        }
        return bytes
    }

    /// Waits until a pipe can be read; returns false if nothing has arrived in time.
    private static func wait(for pipe: FileDescriptor, _ stop: CancellationCheck, _ timeout: Int32) throws -> Bool {
        for _ in 0..<timeout / turn {
            try stop.check()
            if FileBytes.wait(for: pipe.rawValue, milliseconds: turn) { return true }
        }
        return false
    }
}
