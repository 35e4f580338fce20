// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "notifications",
    platforms: [.macOS(.v13)],
    targets: [
        .testTarget(name: "NotificationsTests", path: ".", sources: ["MockAPNS.swift", "NotificationsTests.swift"])
    ]
)
