// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let settings: [SwiftSetting] = [
    "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
].map { .enableUpcomingFeature($0) }

func product(_ name: String, of package: String, trait: String? = nil) -> Target.Dependency {
    .product(name: name, package: package, condition: trait.flatMap { .when(traits: [$0]) })
}

func library(_ name: String, path: String? = nil, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func program(_ name: String, path: String? = nil, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(_ name: String, excluding: [String] = [], _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: excluding, swiftSettings: settings)
}

let programs = "Tests/DocumentationTests/Programs/"
let logging = product("Logging", of: "swift-log")
let commandLine = product("ArgumentParser", of: "swift-argument-parser", trait: "Commands")
let configReader = product("Configuration", of: "swift-configuration", trait: "ConfigReader")
let swiftSyntax = [
    "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros",
].map { product($0, of: "swift-syntax", trait: "Macros") }
let service: KeyValuePairs = [
    "Metrics": "swift-metrics", "ServiceLifecycle": "swift-service-lifecycle", "Tracing": "swift-distributed-tracing",
]
let http: KeyValuePairs = [
    "AsyncHTTPClient": "async-http-client", "NIO": "swift-nio", "NIOHTTP1": "swift-nio", "NIOSSL": "swift-nio-ssl",
]

#if os(macOS)
let isForApple = true
#else
let isForApple = false
#endif

// For Apple platforms the engine is Zetetic's package; elsewhere it is an installed SQLCipher, found by pkg-config as
// sqlcipher. STRONGROOM_SQLCIPHER gives another name, as sqlite3 for upstream's from 4.7, and has macOS take that, too.
let engine: Target
let enginePackages: [Package.Dependency]
if let installed = Context.environment["STRONGROOM_SQLCIPHER"] ?? (isForApple ? nil : "sqlcipher") {
    enginePackages = []
    engine = .systemLibrary(
        name: "CSQLCipher", path: "Sources/CSQLCipher/System", pkgConfig: installed,
        providers: [.apt(["libsqlcipher-dev"]), .brew(["sqlcipher"])])
} else {
    // Before 4.14.0 two processes on one file may lose what one of them has committed (SQLite's WAL-reset bug).
    enginePackages = [.package(url: "https://github.com/sqlcipher/SQLCipher.swift", from: "4.14.0")]
    engine = .target(
        name: "CSQLCipher", dependencies: [product("SQLCipher", of: "SQLCipher.swift")],
        path: "Sources/CSQLCipher/Package")
}

// On Linux SQLCipher's libcrypto does the cryptography; swift-crypto takes longer to build than all the rest.
let swiftCrypto = ["Crypto", "CryptoExtras"].map {
    product($0, of: "swift-crypto", trait: isForApple ? nil : "SwiftCrypto")
}
let libcrypto: [Target] = isForApple ? [] : [.target(name: "CLibCrypto", linkerSettings: [.linkedLibrary("crypto")])]

let package = Package(
    name: "strongroom",
    // Apple's: type-checked against a stub, not run; see the article "Apple platforms".
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: ["", "Objects", "PKCS11", "Replication", "S3", "Service", "Testing", "Commands"].map {
        .library(name: "Strongroom\($0)", targets: ["Strongroom\($0)"])
    } + [.executable(name: "strongroom", targets: ["StrongroomTool"])],
    traits: [
        .default(enabledTraits: ["Commands", "Macros"]),
        .trait(name: "Macros", description: "@Table, @Record, @Column and @Configuration, which need swift-syntax."),
        .trait(name: "Commands", description: "StrongroomCommands and the tool; they need swift-argument-parser."),
        .trait(name: "SwiftCrypto", description: "swift-crypto on Linux, too, instead of the libcrypto of SQLCipher."),
        .trait(name: "Service", description: "StrongroomService: shutdown, metrics and traces of a service."),
        .trait(name: "S3", description: "StrongroomS3: replicas in S3 services; it needs async-http-client."),
        .trait(name: "ConfigReader", description: "Keys and settings from swift-configuration's ConfigReader."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"),
    ] + enginePackages,
    targets: [
        engine,
        .target(name: "CPKCS11"),
        .target(name: "CPlatform"),
        .macro(name: "StrongroomMacros", dependencies: swiftSyntax, swiftSettings: settings),
        library(
            "Strongroom",
            [
                "CPlatform", "CSQLCipher", .target(name: "StrongroomMacros", condition: .when(traits: ["Macros"])),
                configReader, logging,
            ] + libcrypto.map { .target(name: $0.name) } + swiftCrypto),
        library("StrongroomObjects", ["Strongroom"]),
        library("StrongroomPKCS11", ["CPKCS11", "Strongroom"]),
        library("StrongroomReplication", ["Strongroom"]),
        // These two are empty without their traits.
        library(
            "StrongroomS3", ["Strongroom", "StrongroomReplication"] + http.map { product($0, of: $1, trait: "S3") }),
        library("StrongroomService", ["Strongroom", logging] + service.map { product($0, of: $1, trait: "Service") }),
        library("StrongroomTesting", ["Strongroom", logging]),
        library(
            "StrongroomCommands",
            ["Strongroom", "StrongroomReplication", "StrongroomS3", "StrongroomTesting", commandLine]),
        library("Configurations", path: "Configurations", ["Strongroom"]),
        program(
            "StrongroomTool",
            ["Configurations", "Strongroom", "StrongroomCommands", "StrongroomReplication", commandLine]),
        tests(
            "StrongroomTests", excluding: ["Engine/Errors/ThrownCodes.txt"],
            ["Configurations", "Strongroom", "StrongroomTesting", "TestWidth", configReader, logging]),
        tests("StrongroomObjectsTests", ["Strongroom", "StrongroomObjects", "StrongroomTesting", logging]),
        tests("StrongroomPKCS11Tests", ["CPKCS11", "Strongroom", "StrongroomPKCS11", "StrongroomTesting", logging]),
        tests("StrongroomReplicationTests", ["Strongroom", "StrongroomReplication", "StrongroomTesting"]),
        tests("StrongroomCommandsTests", ["Strongroom", "StrongroomCommands", "StrongroomTesting"]),
        tests("ConfigurationsTests", excluding: ["AddressBook/Fixtures"], ["Configurations", "StrongroomTesting"]),
        tests("StrongroomTestingTests", ["Strongroom", "StrongroomTesting"]),
        // Depend on none of the programs that they run: the tests would have what these register as @Configuration.
        tests(
            "DocumentationTests", excluding: ["Preludes", "Programs"],
            ["Configurations", "Strongroom", "StrongroomObjects", "StrongroomTesting"]),
        program("ReadmeProgram", path: programs + "Readme", ["Strongroom"]),
        program("GettingStartedProgram", path: programs + "GettingStarted", ["Strongroom"]),
        program("OwnToolProgram", path: programs + "OwnTool", ["Configurations", "Strongroom", "StrongroomCommands"]),
        // How many tests run at a time; one target has it for all, as they are one program.
        .target(name: "TestWidth", path: "Tests/TestWidth"),
        library("FaultWork", path: "Tests/FaultWork", ["Strongroom", "StrongroomReplication"]),
        program("FaultVictim", path: "Tests/FaultVictim", ["FaultWork"]),
        // Drives the tool and the engine's shell from outside, so it depends on neither the tool nor the library.
        program("TortureHarness", path: "Tests/TortureHarness", [commandLine]),
        tests(
            "IntegrationTests",
            ["Configurations", "FaultVictim", "FaultWork", "Strongroom", "StrongroomTool", "StrongroomTesting"]),
    ] + libcrypto,
    swiftLanguageModes: [.v6]
)
