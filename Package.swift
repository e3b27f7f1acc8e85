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

let package = Package(
    name: "strongroom",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Strongroom", targets: ["Strongroom"]),
        .library(name: "StrongroomTesting", targets: ["StrongroomTesting"]),
        .library(name: "StrongroomCommands", targets: ["StrongroomCommands"]),
        .executable(name: "strongroom", targets: ["StrongroomTool"]),
    ],
    traits: [
        .default(enabledTraits: ["Macros"]),
        .trait(
            name: "Macros",
            description: "@Table, @Record, @Column and @Configuration; without it the package needs no swift-syntax."),
        .trait(name: "ConfigReader", description: "Keys from swift-configuration's ConfigReader."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLCipher",
            pkgConfig: "sqlcipher",
            providers: [.apt(["libsqlcipher-dev"]), .brew(["sqlcipher"])]
        ),
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
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .target(name: "StrongroomTesting", dependencies: ["Strongroom"], swiftSettings: settings),
        .target(
            name: "StrongroomCommands",
            dependencies: ["Strongroom", .product(name: "ArgumentParser", package: "swift-argument-parser")],
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
                "Configurations", "Strongroom", "StrongroomCommands",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
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
            swiftSettings: settings
        ),
        .testTarget(
            name: "StrongroomMacrosTests",
            dependencies: ["StrongroomMacros"]
                + syntaxProducts([
                    "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros",
                    "SwiftSyntaxMacrosGenericTestSupport",
                ]),
            swiftSettings: settings
        ),
        .testTarget(
            name: "StrongroomCommandsTests", dependencies: ["Strongroom", "StrongroomCommands", "StrongroomTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "ConfigurationsTests", dependencies: ["Configurations", "StrongroomTesting"],
            exclude: ["AddressBook/Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "StrongroomTestingTests", dependencies: ["Strongroom", "StrongroomTesting"], swiftSettings: settings),
        // The examples of README and the articles. Those that are whole programs are in no product and run by the tests; they are no
        // dependency, since the tests would then have what they register as @Configuration.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Configurations", "Strongroom", "StrongroomTesting", .product(name: "Logging", package: "swift-log"),
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
        // For the tests alone, and in no product. How many of them run at a time; one target has it for all, as they are one program.
        .target(name: "TestWidth", path: "Tests/TestWidth"),
        // Work that is interrupted, and a program that does it.
        .target(name: "FaultWork", dependencies: ["Strongroom"], path: "Tests/FaultWork", swiftSettings: settings),
        .executableTarget(
            name: "FaultVictim", dependencies: ["FaultWork"], path: "Tests/FaultVictim", swiftSettings: settings),
        // Drives the tool and the engine's shell from outside, so it depends on neither the tool nor the library.
        .executableTarget(
            name: "TortureHarness",
            dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
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
    ],
    swiftLanguageModes: [.v6]
)
