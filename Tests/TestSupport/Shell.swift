import Subprocess
import SystemPackage
import Testing

/// Runs a script in a shell that stops at the first command that fails and at variables that are not set.
///
/// - Returns: its standard output.
package func shell(_ script: String) async throws -> String {
    let result = try await run(
        .path("/bin/sh"), arguments: ["-euc", script], output: .string(limit: 1 << 20),
        error: .currentStandardError)
    #expect(result.terminationStatus.isSuccess)
    return result.standardOutput
}
