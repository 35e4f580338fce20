import Foundation
import SystemPackage
import TestSupport

@testable import MockAPNS

/// The files of one certificate folder. Each test has a copy, since the RSA key alone takes a tenth of a second to make.
private let madeOnce = Task {
    try await withFolder { path in
        _ = try CertificateFolder(path).prepare()
        return try contents(of: path)
    }
}

/// A folder of the test's own with the certificates and keys that a server makes at its first start.
func withMadeCertificates<Result>(_ body: (FilePath) async throws -> Result) async throws -> Result {
    try await withFolder { path in
        for (name, bytes) in try await madeOnce.value {
            try write(bytes, to: path.appending(name))
            if [".key", ".p8", ".p12"].contains(where: name.hasSuffix) { try makePrivate(path.appending(name)) }
        }
        return try await body(path)
    }
}

/// Makes a file its owner's alone, as a folder's keys are.
func makePrivate(_ file: FilePath) throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.string)
}

/// What the files of a folder hold, by their names.
func contents(of folder: FilePath) throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.string) {
        contents[name] = try read(folder.appending(name))
    }
    return contents
}

extension CertificateFolder.Request {
    /// Renews the leaf certificates.
    static var renewing: Self {
        var request = Self()
        request.renews = true
        return request
    }

    /// Adds names to the server's certificate.
    static func named(_ names: [String]) -> Self {
        var request = Self()
        request.serverNames = names
        return request
    }
}
