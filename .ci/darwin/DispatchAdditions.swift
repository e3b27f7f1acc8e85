// What Dispatch has on Apple platforms and not on Linux; checked as a part of the library, since a stub of the whole
// module would have to repeat it.
import Dispatch

protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {
    var data: DispatchSource.MemoryPressureEvent { get }
    var mask: DispatchSource.MemoryPressureEvent { get }
}

extension DispatchSource {
    struct MemoryPressureEvent: OptionSet {
        let rawValue: UInt

        static let normal = MemoryPressureEvent(rawValue: 1)
        static let warning = MemoryPressureEvent(rawValue: 2)
        static let critical = MemoryPressureEvent(rawValue: 4)
    }

    static func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure {
        preconditionFailure("a stub")
    }
}
