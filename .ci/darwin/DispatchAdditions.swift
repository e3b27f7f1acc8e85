// What Dispatch has on Apple platforms and not on Linux; checked as a part of the library, since a stub of the whole
// module would have to repeat it.
import Dispatch

protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {
    var data: DispatchSource.FileSystemEvent { get }
}

extension DispatchSource {
    static func makeFileSystemObjectSource(
        fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceFileSystemObject {
        preconditionFailure("a stub")
    }
}
