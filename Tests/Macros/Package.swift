// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let settings: [SwiftSetting] = [
    "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
].map { .enableUpcomingFeature($0) }

func syntax(_ names: [String]) -> [Target.Dependency] { names.map { .product(name: $0, package: "swift-syntax") } }

// A package of its own: where a test depends on a macro, SwiftPM builds for the host, too, whatever the other tests
// depend on.
let package = Package(
    name: "strongroom-macros",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0")],
    targets: [
        .macro(
            name: "StrongroomMacros",
            dependencies: syntax([
                "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder",
                "SwiftSyntaxMacros",
            ]), swiftSettings: settings + [.define("Macros")]),
        .testTarget(
            name: "StrongroomMacrosTests",
            dependencies: ["StrongroomMacros"]
                + syntax([
                    "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros",
                    "SwiftSyntaxMacrosGenericTestSupport",
                ]), swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
