/// Memory that is initially zero and is overwritten before it is freed.
// Written only during the initialisation of its owner.
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
