/// Memory that is overwritten before it is freed, with zeros at first.
// Written only while its owner is made.
final class WipedMemory: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(count: Int) {
        bytes = .allocate(byteCount: count, alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        bytes.wipe()
        bytes.deallocate()
    }
}
