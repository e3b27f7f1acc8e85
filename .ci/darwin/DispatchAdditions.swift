// What Dispatch has on Apple platforms and not on Linux; checked as a part of the library, since a stub of the whole
// module would have to repeat it.
import Dispatch

protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {
    var data: DispatchSource.MemoryPressureEvent { get }
    var mask: DispatchSource.MemoryPressureEvent { get }
}

protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {
    var data: DispatchSource.FileSystemEvent { get }
}

extension DispatchSource {
    static func makeFileSystemObjectSource(
        fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceFileSystemObject {
        preconditionFailure("a stub")
    }

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
