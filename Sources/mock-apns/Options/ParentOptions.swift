import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The option of the commands that can end with the process that started them.
struct ParentOptions: ParsableArguments {
    /// The name of the environment variable that does the same as the option.
    private static var variable: String { "MOCK_APNS_EXIT_WITH_PARENT" }

    @Flag(
        name: .customLong("exit-with-parent"),
        help:
            "End as by SIGTERM when the process that started this one is gone, even if it was killed. The variable MOCK_APNS_EXIT_WITH_PARENT=1 does the same."
    )
    var isGiven = false

    func validate() throws {
        guard ["", "0", "1"].contains(value) else {
            throw ValidationError(
                "\(Self.variable) is \"\(value)\"; set it to 1, or to 0 to run on without the parent.")
        }
    }

    private var value: String { ProcessInfo.processInfo.environment[Self.variable] ?? "" }

    /// Whether the command ends with the process that started it.
    var endsWithParent: Bool { isGiven || value == "1" }
}
