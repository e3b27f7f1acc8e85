import Foundation

#if canImport(Darwin)
import Darwin
#endif

/// The start of a machine: its processes and containers share it, another machine of the same name does not.
enum MachineStart {
    /// The identifier that the system has given to this start; empty if it gives none, as without `/proc`.
    static let identifier: String = {
        #if canImport(Darwin)
        var length = 64
        var text = [UInt8](repeating: 0, count: length)
        guard sysctlbyname("kern.bootsessionuuid", &text, &length, nil, 0) == 0 else { return "" }
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        #else
        let text = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id") ?? Data()
        return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        #endif
    }()
}
