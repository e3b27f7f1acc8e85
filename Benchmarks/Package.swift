// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "strongroom-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "strongroom", path: "..", traits: ["Macros"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // The version that the targets were set against.
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
    ],
    targets: [
        // The library's own system target is not a product, and a target's name is unique over all packages.
        .systemLibrary(
            name: "CEngine",
            pkgConfig: "sqlcipher",
            providers: [.apt(["libsqlcipher-dev"]), .brew(["sqlcipher"])]
        ),
        .target(name: "Baseline", dependencies: ["CEngine"], linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "TestData", swiftSettings: settings),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Baseline",
                "CEngine",
                "TestData",
                .product(name: "Strongroom", package: "strongroom"),
                .product(name: "StrongroomObjects", package: "strongroom"),
                .product(name: "StrongroomReplication", package: "strongroom"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        // A program of its own: GRDB links the system's libsqlite3, and one process cannot hold two engines.
        .executableTarget(
            name: "GRDBRival",
            dependencies: [
                "TestData",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
