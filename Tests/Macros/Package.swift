// swift-tools-version: 6.2
// The tests of what the macros write. A package of its own: where a test depends on a macro, SwiftPM builds all that the
// tests depend on a second time, for the host.
import CompilerPluginSupport
import PackageDescription

let settings: [SwiftSetting] = [
    .define("Macros"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func syntax(_ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "swift-syntax") }
}

let package = Package(
    name: "strongroom-macros",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0")],
    targets: [
        // A link to the sources of the package.
        .macro(
            name: "StrongroomMacros",
            dependencies: syntax(
                "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder",
                "SwiftSyntaxMacros"),
            path: "StrongroomMacros",
            swiftSettings: settings
        ),
        .testTarget(
            name: "StrongroomMacrosTests",
            dependencies: ["StrongroomMacros"]
                + syntax(
                    "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros",
                    "SwiftSyntaxMacrosGenericTestSupport"),
            path: "StrongroomMacrosTests",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
