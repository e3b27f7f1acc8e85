// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
].map { .enableUpcomingFeature($0) }

func product(_ name: String, of package: String) -> Target.Dependency { .product(name: name, package: package) }

let strongroom = ["Strongroom", "StrongroomService"].map { product($0, of: "strongroom") }
let testing = product("StrongroomTesting", of: "strongroom")
let logging = product("Logging", of: "swift-log")
let lifecycle = product("ServiceLifecycle", of: "swift-service-lifecycle")

// What only a service on a server needs: the tests of StrongroomService and StrongroomS3, and the HTTP service of the
// guide with the settings that a new package has.
let package = Package(
    name: "strongroom-services",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "strongroom", path: "../..", traits: ["Commands", "ConfigReader", "Macros", "S3", "Service"]),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "ClinicService",
            dependencies: strongroom + [
                product("Configuration", of: "swift-configuration"), product("Hummingbird", of: "hummingbird"),
                lifecycle, logging,
            ]),
        .testTarget(
            name: "ClinicServiceTests", dependencies: strongroom + ["ClinicService", testing], swiftSettings: settings),
        .testTarget(
            name: "StrongroomServiceTests",
            dependencies: strongroom + [
                testing, lifecycle, logging, product("ServiceLifecycleTestKit", of: "swift-service-lifecycle"),
                product("InMemoryTracing", of: "swift-distributed-tracing"),
                product("Tracing", of: "swift-distributed-tracing"), product("CoreMetrics", of: "swift-metrics"),
                product("Metrics", of: "swift-metrics"), product("MetricsTestKit", of: "swift-metrics"),
            ], swiftSettings: settings),
        .testTarget(
            name: "StrongroomS3Tests",
            dependencies: [
                product("Strongroom", of: "strongroom"), product("StrongroomReplication", of: "strongroom"),
                product("StrongroomS3", of: "strongroom"), product("AsyncHTTPClient", of: "async-http-client"),
                // The tool with a client for S3, which checks run.
                product("strongroom", of: "strongroom"), testing, logging, product("NIO", of: "swift-nio"),
                product("NIOHTTP1", of: "swift-nio"), product("NIOSSL", of: "swift-nio-ssl"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
