// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

// Test targets are not optimized even in a release: that would take far longer than it saves.
let tests = strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

// Its description on Linux has a flag that is not needed and that every build would warn of.
#if os(macOS)
let hiredis: String? = "hiredis"
#else
let hiredis: String? = nil
#endif

// What several targets need of other packages.
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let subprocess = Target.Dependency.product(
    name: "Subprocess", package: "swift-subprocess", condition: .when(traits: ["Command"]))

let package = Package(
    name: "mock-apns",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "MockAPNS", targets: ["MockAPNS"]),
        .library(name: "MockAPNSTesting", targets: ["MockAPNSTesting"]),
        .library(name: "MockAPNSAdmin", targets: ["MockAPNSAdmin"]),
        .executable(name: "mock-apns", targets: ["mock-apns"]),
    ],
    // A test suite that takes MockAPNS alone says `traits: []`, and fetches nothing that only the others need.
    traits: [
        .default(enabledTraits: ["Command"]),
        .trait(name: "Command", description: "The command mock-apns."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0", traits: []),
    ],
    targets: [
        .systemLibrary(
            name: "CMockNGHTTP2", pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]),
        .systemLibrary(
            name: "CMockOpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CMockPCRE2", pkgConfig: "libpcre2-8",
            providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]),
        .systemLibrary(
            name: "CMockHiredis", pkgConfig: hiredis,
            providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .target(
            name: "CMockPage", exclude: ["app.css", "app.css.gz", "app.js", "app.js.gz", "origin.json"],
            publicHeadersPath: "."),
        .target(name: "CMockScenarios", publicHeadersPath: "."),
        .target(name: "CMockProbes", publicHeadersPath: "."),
        .target(name: "CMockProcess", publicHeadersPath: "."),
        .target(
            name: "MockAPNSTransport", dependencies: ["CMockNGHTTP2", "CMockOpenSSL", "CMockProcess"],
            exclude: ["README.md"],
            swiftSettings: strict),
        .target(name: "MockAPNSPatterns", dependencies: ["CMockPCRE2"], swiftSettings: strict),
        .target(name: "MockAPNSJSON", swiftSettings: strict),
        .target(name: "MockAPNSModel", swiftSettings: strict),
        .target(
            name: "MockAPNSCore", dependencies: ["MockAPNSJSON", "MockAPNSModel", "MockAPNSPatterns"],
            exclude: ["README.md"], swiftSettings: strict),
        .target(
            name: "MockAPNSJudge", dependencies: ["MockAPNSCore"], exclude: ["README.md"], swiftSettings: strict),
        .target(
            name: "MockAPNSScenario", dependencies: ["MockAPNSCore", "MockAPNSJudge", "MockAPNSPatterns"],
            exclude: ["README.md"], swiftSettings: strict),
        .target(
            name: "MockAPNS",
            dependencies: [
                "CMockScenarios", "MockAPNSCore", "MockAPNSJudge", "MockAPNSModel", "MockAPNSScenario",
                "MockAPNSTransport",
                nioCore, nioPosix, logging, system,
            ],
            exclude: ["README.md"],
            swiftSettings: strict),
        .target(
            name: "MockAPNSSuite", dependencies: ["MockAPNSCore", "MockAPNSJudge"], swiftSettings: strict),
        .target(name: "MockAPNSTesting", dependencies: ["MockAPNS", logging], swiftSettings: strict),
        .target(
            name: "MockAPNSAdmin",
            dependencies: [
                "CMockPage", "MockAPNS", "MockAPNSCore", "MockAPNSJudge", "MockAPNSScenario",
                logging, nioCore, nioHTTP1, nioPosix, system,
            ],
            exclude: ["Page", "README.md", "openapi.json"],
            swiftSettings: strict),
        .target(
            name: "MockAPNSFleet",
            dependencies: [
                "CMockHiredis", "MockAPNS", "MockAPNSCore", "MockAPNSJudge",
                logging, nioCore, nioPosix, system,
            ],
            exclude: ["README.md"],
            swiftSettings: strict),
        .target(
            name: "MockAPNSProbe",
            dependencies: [
                "CMockProbes", "MockAPNS", "MockAPNSCore", "MockAPNSJudge", "MockAPNSTransport",
                nioCore, nioPosix, system,
            ],
            exclude: ["Data", "README.md"],
            swiftSettings: strict),
        .executableTarget(
            name: "mock-apns",
            dependencies: [
                "MockAPNS", "MockAPNSAdmin", "MockAPNSCore", "MockAPNSFleet", "MockAPNSJudge", "MockAPNSProbe",
                "MockAPNSScenario", "MockAPNSSuite", "MockAPNSTransport",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
                logging, nioCore,
                nioHTTP1, nioPosix, subprocess, system,
            ],
            exclude: ["README.md"],
            swiftSettings: strict),
        .target(
            name: "TestClients", dependencies: ["MockAPNSTransport", "CMockNGHTTP2", "CMockOpenSSL"],
            path: "Tests/TestClients", swiftSettings: strict),
        .target(
            name: "FuzzTargets",
            dependencies: ["MockAPNSCore", "MockAPNSJudge", "MockAPNSScenario", "MockAPNSTransport", "TestClients"],
            path: "Tests/Fuzz/Targets", swiftSettings: strict),
        .testTarget(
            name: "FuzzTargetsTests", dependencies: ["FuzzTargets", "MockAPNSCore"], swiftSettings: tests),
        .testTarget(
            name: "MockAPNSJSONTests", dependencies: ["MockAPNSCore", "MockAPNSJSON"], swiftSettings: tests),
        .testTarget(
            name: "MockAPNSPatternsTests", dependencies: ["MockAPNSPatterns"], swiftSettings: tests),
        // Gateways with connections, providers and devices, for the tests of what has no sockets.
        .target(
            name: "GatewayRigs", dependencies: ["MockAPNSCore", "MockAPNSJudge", "MockAPNSScenario"],
            path: "Tests/GatewayRigs", swiftSettings: strict),
        .testTarget(
            name: "MockAPNSCoreTests",
            dependencies: ["GatewayRigs", "MockAPNSCore", "MockAPNSJudge", "MockAPNSScenario"], swiftSettings: tests),
        .testTarget(
            name: "MockAPNSJudgeTests",
            dependencies: ["GatewayRigs", "MockAPNSCore", "MockAPNSJudge", "MockAPNSScenario"], swiftSettings: tests),
        .testTarget(
            name: "MockAPNSScenarioTests",
            dependencies: ["GatewayRigs", "MockAPNSCore", "MockAPNSJudge", "MockAPNSScenario"], swiftSettings: tests),
        .testTarget(
            name: "MockAPNSSuiteTests",
            dependencies: ["GatewayRigs", "MockAPNSCore", "MockAPNSJudge", "MockAPNSScenario", "MockAPNSSuite"],
            swiftSettings: tests),
        .testTarget(
            name: "MockAPNSTransportTests", dependencies: ["MockAPNSTransport", "TestClients"], swiftSettings: tests),
        .testTarget(
            name: "MockAPNSFleetTests",
            dependencies: [
                "MockAPNS", "MockAPNSCore", "MockAPNSFleet", "MockAPNSJudge", "MockAPNSScenario", "TestSupport",
                logging, nioCore, nioEmbedded, nioPosix, system,
            ],
            swiftSettings: tests),
        .testTarget(
            name: "MockAPNSProbeTests",
            dependencies: [
                "MockAPNS", "MockAPNSCore", "MockAPNSProbe", "MockAPNSTransport", nioCore, nioPosix,
            ],
            swiftSettings: tests),
        // What a user's test target sees: nothing that is only for this package, and names of its own.
        .target(name: "EverydayNames", path: "Tests/EverydayNames", packageAccess: false, swiftSettings: strict),
        .testTarget(
            name: "ConsumerTests", dependencies: ["EverydayNames", "MockAPNS", "MockAPNSTesting"], packageAccess: false,
            swiftSettings: tests),
        .target(
            name: "TestSupport",
            dependencies: [
                "MockAPNS", "MockAPNSAdmin", "MockAPNSCore", "MockAPNSJudge", "MockAPNSTransport", "TestClients",
                logging, nioCore, nioPosix, subprocess, system,
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(
            name: "MockAPNSTests",
            dependencies: [
                "MockAPNS", "MockAPNSTesting", "MockAPNSCore", "MockAPNSJudge", "MockAPNSScenario",
                "MockAPNSTransport", "TestClients", "TestSupport",
                logging, nioCore, nioEmbedded, nioPosix, subprocess, system,
            ],
            swiftSettings: tests),
        .testTarget(
            name: "MockAPNSAdminTests",
            dependencies: [
                "MockAPNS", "MockAPNSAdmin", "MockAPNSCore", "MockAPNSJudge", "MockAPNSScenario",
                "MockAPNSTransport", "TestClients", "TestSupport",
                logging, nioCore, nioEmbedded, nioHTTP1, nioPosix, system,
            ],
            swiftSettings: tests),
        .testTarget(
            name: "MockAPNSCommandTests",
            dependencies: [
                "MockAPNS", "MockAPNSCore", "MockAPNSJudge", "MockAPNSTransport", "TestClients", "TestSupport",
                system,
            ],
            swiftSettings: tests),
    ]
)

// Only `make fuzz` has libFuzzer to link with.
if Context.environment["MOCK_APNS_FUZZ"] != nil {
    package.targets += [
        .executableTarget(
            name: "mock-apns-fuzz",
            dependencies: ["FuzzTargets", system],
            path: "Tests/Fuzz/Driver", swiftSettings: strict)
    ]
}

// Sanitizers build nothing but the targets that they look at, and what these need.
if let names = Context.environment["MOCK_APNS_TARGETS"] {
    var needed = names.split(separator: ",").map(String.init)
    var targets: [Target] = []
    while let name = needed.popLast() {
        guard let index = package.targets.firstIndex(where: { $0.name == name }) else { continue }
        targets.append(package.targets.remove(at: index))
        for case .byNameItem(let name, _) in targets[targets.count - 1].dependencies { needed.append(name) }
    }
    (package.targets, package.products) = (targets, [])
}
