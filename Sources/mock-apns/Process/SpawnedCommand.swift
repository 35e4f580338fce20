import Subprocess
import SystemPackage

/// A command as swift-subprocess takes it, to run in its own process group.
struct SpawnedCommand {
    let executable: Executable
    let arguments: Arguments
    let environment: Environment
    let platformOptions: PlatformOptions

    /// - Parameters:
    ///   - words: the command and its arguments. A command without a slash is looked up on the `PATH`.
    ///   - variables: changes to the environment of this process; `nil` removes a variable.
    init(_ words: [String], _ variables: [(name: String, value: String?)]) {
        executable = words[0].contains("/") ? .path(FilePath(words[0])) : .name(words[0])
        arguments = Arguments(Array(words.dropFirst()))
        let changes = variables.compactMap { variable in
            Environment.Key(rawValue: variable.name).map { ($0, variable.value) }
        }
        environment = .inherit.updating(Dictionary(uniqueKeysWithValues: changes))
        var options = PlatformOptions()
        options.processGroupID = 0
        platformOptions = options
    }
}
