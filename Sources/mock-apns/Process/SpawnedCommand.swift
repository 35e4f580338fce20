import MockAPNSTransport
import Subprocess
import SystemPackage

/// A command as swift-subprocess takes it, to run in its own process group. It gets its arguments and the environment of
/// this process byte by byte.
struct SpawnedCommand {
    /// Why a command cannot be started.
    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    let executable: Executable
    let arguments: Arguments
    let environment: Environment
    let platformOptions: PlatformOptions

    /// - Parameters:
    ///   - words: the command and its arguments. A command without a slash is looked up on the `PATH`.
    ///   - variables: changes to the environment of this process; `nil` removes a variable.
    /// - Throws: ``Mistake`` if the name of the command is not UTF-8.
    init(_ words: [[UInt8]], _ variables: [(name: String, value: String?)]) throws(Mistake) {
        guard let name = String(validating: words[0], as: UTF8.self) else {
            throw Mistake(
                description: "its name is not UTF-8; let env start it, with -- env \(String(showing: words[0]))")
        }
        executable = name.contains("/") ? .path(FilePath(name)) : .name(name)
        // They are taken as C strings.
        arguments = Arguments(words.dropFirst().map { $0 + [0] })
        let changes = variables.compactMap { variable in
            Environment.Key(rawValue: variable.name).map { ($0, variable.value) }
        }
        environment = Self.inherited.updating(Dictionary(uniqueKeysWithValues: changes))
        var options = PlatformOptions()
        options.processGroupID = 0
        platformOptions = options
    }

    /// The environment of this process.
    private static var inherited: Environment {
        let variables = ProcessStart.variables
        // This way, names that begin with a digit get through.
        if variables.allSatisfy({ String(validating: $0, as: UTF8.self) != nil }) { return .inherit }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return .custom(
            variables.filter { variable in
                variable.contains(UInt8(ascii: "=")) && !(variable.first.map(digits.contains) ?? true)
            }.map { $0 + [0] })
    }
}
