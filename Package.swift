// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let syntax = [
    "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros",
]

func syntaxProducts(_ names: [String]) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "swift-syntax", condition: .when(traits: ["Macros"])) }
}

#if os(macOS)
let isForApple = true
#else
let isForApple = false
#endif

// For Apple platforms the engine is Zetetic's package, which has a framework for each of them; elsewhere it is an
// installed SQLCipher, which pkg-config finds by the name sqlcipher. STRONGROOM_SQLCIPHER gives another name, such as
// sqlite3 for SQLCipher 4.7 and later as upstream installs it, and has an installed one taken on macOS, too.
let installedEngine = Context.environment["STRONGROOM_SQLCIPHER"] ?? (isForApple ? nil : "sqlcipher")
let enginePackages: [Package.Dependency]
let engine: Target
if let installedEngine {
    enginePackages = []
    engine = .systemLibrary(
        name: "CSQLCipher", path: "Sources/CSQLCipher/System", pkgConfig: installedEngine,
        providers: [.apt(["libsqlcipher-dev"]), .brew(["sqlcipher"])])
} else {
    // Before 4.14.0 two processes on one file may lose what one of them has committed (SQLite's WAL-reset bug).
    enginePackages = [.package(url: "https://github.com/sqlcipher/SQLCipher.swift", from: "4.14.0")]
    engine = .target(
        name: "CSQLCipher", dependencies: [.product(name: "SQLCipher", package: "SQLCipher.swift")],
        path: "Sources/CSQLCipher/Package")
}

let wantsDocumentation = ["STRONGROOM_DOCUMENTATION", "SPI_GENERATE_DOCS"].contains { Context.environment[$0] != nil }

// On Linux the libcrypto that SQLCipher uses does the cryptography; swift-crypto brings its own, which takes longer to
// build than all the rest. The documentation is built with all traits, so it leaves that one out.
let hasSwiftCrypto = isForApple || !wantsDocumentation
let cryptography: [Target.Dependency] =
    isForApple
    ? swiftCrypto(nil) : ["CLibCrypto"] + (hasSwiftCrypto ? swiftCrypto(.when(traits: ["SwiftCrypto"])) : [])
let cryptographyPackages: [Package.Dependency] =
    hasSwiftCrypto ? [.package(url: "https://github.com/apple/swift-crypto", from: "4.5.0")] : []
let cryptographyTargets: [Target] =
    isForApple ? [] : [.target(name: "CLibCrypto", linkerSettings: [.linkedLibrary("crypto")])]

func swiftCrypto(_ condition: TargetDependencyCondition?) -> [Target.Dependency] {
    ["Crypto", "CryptoExtras"].map { .product(name: $0, package: "swift-crypto", condition: condition) }
}

let commandLine = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Commands"]))

let service: [Target.Dependency] = [
    .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Service"])),
    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Service"])),
    .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Service"])),
]

// No target names it, so that no trait could leave it out. Swift Package Index sets the second variable; it adds the
// plugin only to manifests in which its address does not stand.
let documentation: [Package.Dependency] =
    wantsDocumentation ? [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")] : []

let syntaxPackage = Package.Dependency.package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0")

let package = Package(
    name: "strongroom",
    // Apple's: type-checked against a stub, not run; see the article "Apple platforms".
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Strongroom", targets: ["Strongroom"]),
        .library(name: "StrongroomObjects", targets: ["StrongroomObjects"]),
        .library(name: "StrongroomReplication", targets: ["StrongroomReplication"]),
        .library(name: "StrongroomService", targets: ["StrongroomService"]),
        .library(name: "StrongroomTesting", targets: ["StrongroomTesting"]),
        .library(name: "StrongroomCommands", targets: ["StrongroomCommands"]),
        .executable(name: "strongroom", targets: ["StrongroomTool"]),
    ],
    traits: [
        .default(enabledTraits: ["Commands", "Macros"]),
        .trait(
            name: "Macros",
            description: "@Table, @Record, @Column and @Configuration; without it the package needs no swift-syntax."),
        .trait(
            name: "Commands",
            description:
                "StrongroomCommands and the tool strongroom; without it the package needs no swift-argument-parser."),
        .trait(
            name: "SwiftCrypto",
            description:
                "Cryptography by swift-crypto on Linux, too, instead of the libcrypto that SQLCipher uses there."),
        .trait(
            name: "Service",
            description: "StrongroomService: shutdown, metrics and traces by the packages for services on servers."),
        .trait(name: "ConfigReader", description: "Keys and settings from swift-configuration's ConfigReader."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        syntaxPackage,
    ] + cryptographyPackages + enginePackages + documentation,
    targets: [
        engine,
        .target(name: "CDiscovery"),
        .macro(name: "StrongroomMacros", dependencies: syntaxProducts(syntax), swiftSettings: settings),
        .target(
            name: "Strongroom",
            dependencies: [
                "CDiscovery",
                "CSQLCipher",
                .target(name: "StrongroomMacros", condition: .when(traits: ["Macros"])),
                .product(
                    name: "Configuration", package: "swift-configuration", condition: .when(traits: ["ConfigReader"])),
            ] + cryptography + [
                .product(name: "Logging", package: "swift-log")
            ],
            swiftSettings: settings
        ),
        .target(name: "StrongroomObjects", dependencies: ["Strongroom"], swiftSettings: settings),
        .target(name: "StrongroomReplication", dependencies: ["Strongroom"], swiftSettings: settings),
        // Without the trait it is empty.
        .target(
            name: "StrongroomService",
            dependencies: ["Strongroom", .product(name: "Logging", package: "swift-log")] + service,
            swiftSettings: settings),
        .target(
            name: "StrongroomTesting",
            dependencies: ["Strongroom", .product(name: "Logging", package: "swift-log")], swiftSettings: settings),
        .target(
            name: "StrongroomCommands",
            dependencies: ["Strongroom", "StrongroomReplication", commandLine],
            swiftSettings: settings
        ),
        .target(
            name: "Configurations",
            dependencies: ["Strongroom"],
            path: "Configurations",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "StrongroomTool",
            dependencies: [
                "Configurations", "Strongroom", "StrongroomCommands", "StrongroomReplication",
                commandLine,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StrongroomTests",
            dependencies: [
                "Configurations", "Strongroom", "StrongroomTesting", "TestWidth",
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "Configuration", package: "swift-configuration", condition: .when(traits: ["ConfigReader"])),
            ],
            exclude: ["Engine/Errors/ThrownCodes.txt"],
            swiftSettings: settings
        ),
        // Some of its fixtures are links to those of StrongroomTests.
        .testTarget(
            name: "StrongroomObjectsTests",
            dependencies: [
                "Strongroom", "StrongroomObjects", "StrongroomTesting", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "StrongroomReplicationTests",
            dependencies: ["Strongroom", "StrongroomReplication", "StrongroomTesting"], swiftSettings: settings),
        .testTarget(
            name: "StrongroomServiceTests",
            dependencies: [
                "Strongroom", "StrongroomService", "StrongroomTesting", .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Service"])),
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Service"])),
                .product(
                    name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle",
                    condition: .when(traits: ["Service"])),
            ] + service, swiftSettings: settings),
        .testTarget(
            name: "StrongroomCommandsTests", dependencies: ["Strongroom", "StrongroomCommands", "StrongroomTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "ConfigurationsTests", dependencies: ["Configurations", "StrongroomTesting"],
            exclude: ["AddressBook/Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "StrongroomTestingTests", dependencies: ["Strongroom", "StrongroomTesting"], swiftSettings: settings),
        // The examples of README and the articles. Those that are whole programs are in no product and run by the
        // tests; they are no dependency, since the tests would then have what they register as @Configuration.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Configurations", "Strongroom", "StrongroomObjects", "StrongroomReplication", "StrongroomTesting",
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "Configuration", package: "swift-configuration", condition: .when(traits: ["ConfigReader"])),
            ],
            exclude: ["Programs"], swiftSettings: settings),
        .executableTarget(
            name: "ReadmeProgram", dependencies: ["Strongroom"], path: "Tests/DocumentationTests/Programs/Readme",
            swiftSettings: settings),
        .executableTarget(
            name: "GettingStartedProgram", dependencies: ["Strongroom"],
            path: "Tests/DocumentationTests/Programs/GettingStarted", swiftSettings: settings),
        .executableTarget(
            name: "OwnToolProgram", dependencies: ["Configurations", "Strongroom", "StrongroomCommands"],
            path: "Tests/DocumentationTests/Programs/OwnTool", swiftSettings: settings),
        // For the tests alone, and in no product. How many of them run at a time; one target has it for all, as they
        // are one program.
        .target(name: "TestWidth", path: "Tests/TestWidth"),
        // Work that is interrupted, and a program that does it.
        .target(
            name: "FaultWork", dependencies: ["Strongroom", "StrongroomReplication"], path: "Tests/FaultWork",
            swiftSettings: settings),
        .executableTarget(
            name: "FaultVictim", dependencies: ["FaultWork"], path: "Tests/FaultVictim", swiftSettings: settings),
        // Drives the tool and the engine's shell from outside, so it depends on neither the tool nor the library.
        .executableTarget(
            name: "TortureHarness",
            dependencies: [commandLine],
            path: "Tests/TortureHarness",
            swiftSettings: settings
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Configurations", "FaultVictim", "FaultWork", "Strongroom", "StrongroomTool", "StrongroomTesting",
            ],
            swiftSettings: settings
        ),
    ] + cryptographyTargets,
    swiftLanguageModes: [.v6]
)

if !hasSwiftCrypto { package.traits = package.traits.filter { $0.name != "SwiftCrypto" } }

// The tests of what the macros write are built alone: where a test depends on a macro, SwiftPM builds for the host,
// too, whatever the other tests depend on.
if Context.environment["STRONGROOM_MACRO_TESTS"] != nil {
    package.products = []
    package.dependencies = [syntaxPackage]
    package.targets =
        package.targets.filter { $0.name == "StrongroomMacros" } + [
            .testTarget(
                name: "StrongroomMacrosTests",
                dependencies: ["StrongroomMacros"]
                    + syntaxProducts(
                        syntax + ["SwiftSyntaxMacroExpansion", "SwiftSyntaxMacrosGenericTestSupport"]),
                swiftSettings: settings)
        ]
}

// The HTTP service of the guide, with the settings that a new package has, and its tests. Nothing else needs an HTTP
// server, so that only this variable has one resolved; they need the traits ConfigReader, Macros and Service.
if Context.environment["STRONGROOM_SERVICE_EXAMPLE"] != nil {
    package.dependencies += [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: [])
    ]
    package.targets += [
        .executableTarget(
            name: "ClinicService",
            dependencies: [
                "Strongroom", "StrongroomService",
                .product(
                    name: "Configuration", package: "swift-configuration", condition: .when(traits: ["ConfigReader"])),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Service"])),
            ], path: "Tests/DocumentationTests/Programs/ClinicService"),
        .testTarget(
            name: "ClinicServiceTests", dependencies: ["Strongroom", "StrongroomTesting"],
            swiftSettings: settings),
    ]
}
