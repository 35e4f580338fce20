import FuzzTargets
import SystemPackage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Which target is fuzzed: `mock-apns-fuzz TARGET [OPTION…] [FOLDER…]`, with the options and folders of libFuzzer.
///
/// `mock-apns-fuzz --list` prints the names of the targets and the lengths of their longest inputs,
/// `mock-apns-fuzz --seeds TARGET FOLDER` writes the inputs to begin with.
@safe
enum Fuzzer {
    /// Set once, before the first input.
    nonisolated(unsafe) private static var target: FuzzTarget?

    /// Chooses the target, or does what else is asked for and ends the process.
    static func begin(_ arguments: [String]) {
        switch arguments.first {
        case "--list":
            for target in FuzzTarget.all { print(target.name, target.longestInput) }
            exit(0)
        case "--seeds" where arguments.count == 3:
            guard let target = FuzzTarget.named(arguments[1]) else { usage() }
            do {
                try writeSeeds(of: target, to: FilePath(arguments[2]))
                exit(0)
            } catch {
                print("\(arguments[2]): \(error)")
                exit(69)
            }
        default:
            guard let target = arguments.first.flatMap(FuzzTarget.named) else { usage() }
            unsafe Self.target = target
        }
    }

    /// Tries one input; what does not hold ends the process, and libFuzzer keeps the input.
    static func test(_ input: [UInt8]) {
        guard let target = unsafe target else { return }
        do throws(Finding) {
            try target.check(input)
        } catch {
            fatalError("\(target.name): \(error)")
        }
    }

    private static func writeSeeds(of target: FuzzTarget, to folder: FilePath) throws {
        for (number, seed) in target.seeds.enumerated() {
            let file = try FileDescriptor.open(
                folder.appending("seed-\(number)"), .writeOnly, options: [.create, .truncate],
                permissions: [.ownerReadWrite])
            try file.closeAfter { _ = try file.writeAll(seed) }
        }
    }

    private static func usage() -> Never {
        print("usage: mock-apns-fuzz --list | --seeds TARGET FOLDER | TARGET [OPTION…] [FOLDER…]")
        exit(64)
    }
}
