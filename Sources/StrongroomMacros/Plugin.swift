#if Macros
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        TableMacro.self, RecordMacro.self, ColumnMacro.self, IgnoredMacro.self, ConfigurationMacro.self,
    ]
}
#else
/// A macro target is an executable; without its trait it does nothing.
@main
struct Plugin {
    static func main() {}
}
#endif
