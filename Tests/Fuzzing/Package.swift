// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
].map { .enableUpcomingFeature($0) }

// A package of its own: everything in it is compiled with coverage for libFuzzer, as `run` does, and nothing else is.
let package = Package(
    name: "strongroom-fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "strongroom", path: "../..", traits: ["Commands"])],
    targets: [
        // The files of StrongroomS3 that parse what a service answers are links, without the HTTP client.
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "Strongroom", "StrongroomObjects", "StrongroomReplication", "StrongroomCommands", "StrongroomTesting",
            ].map { .product(name: $0, package: "strongroom") },
            swiftSettings: settings + [.define("S3")])
    ],
    swiftLanguageModes: [.v6]
)
