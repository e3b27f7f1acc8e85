#if Macros
extension ConfigurationModel {
    /// The target, and the entry by which the type is discovered.
    var code: [String] {
        let targetCode = """
            \(access.memberPrefix)static var target: Swift.String {
                \(target.swiftLiteral)
            }
            """
        return (declaresTarget ? [] : [targetCode]) + [entry]
    }

    /// A function pointer in a dedicated section; Strongroom calls every function in the section.
    private var entry: String {
        """
        #if objectFormat(MachO)
        @section("__DATA_CONST,strongroom_cfg")
        @used
        private static let strongroomConfigurationEntry: Strongroom._ConfigurationEntry.Writer = {
            Strongroom._ConfigurationEntry.write({ \(type)() }, to: $0)
        }
        #elseif objectFormat(ELF)
        @section("strongroom_cfg")
        @used
        private static let strongroomConfigurationEntry: Strongroom._ConfigurationEntry.Writer = {
            Strongroom._ConfigurationEntry.write({ \(type)() }, to: $0)
        }
        #endif
        """
    }
}
#endif
