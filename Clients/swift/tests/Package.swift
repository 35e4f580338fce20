// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "notifications",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Where your clone of mock-apns is.
        .package(name: "mock-apns", path: "../../..", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-crypto", "3.0.0"..<"5.0.0"),
    ],
    targets: [
        .testTarget(
            name: "NotificationsTests",
            dependencies: [
                .product(name: "MockAPNSTesting", package: "mock-apns"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: ".", sources: ["NotificationsTests.swift"])
    ]
)
