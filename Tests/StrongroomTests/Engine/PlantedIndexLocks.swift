@testable import Strongroom

/// Does work at a chosen moment of a connection's checkpoint.
///
/// The work runs inside the engine's request for a lock, so that a schedule of two connections is the same at each run.
final class PlantedIndexLocks: FileLockRule {
    /// Where the other connection comes in.
    enum Point {
        /// The checkpoint has read the WAL's header and has not compared it yet.
        case headerIsRead
        /// It has compared it and begins to copy.
        case copies
    }

    private let point: Point
    private let index: UnsafeMutableRawPointer
    private var work: (() -> Void)?
    private var isCheckpointing = false
    private var hasWriteLock = false
    /// Whether the header looks as one that a writer is just writing.
    private var isHeaderTorn = false

    /// - Parameters:
    ///   - index: The WAL's index.
    ///   - work: Done once.
    init(_ point: Point, of index: UnsafeMutableRawPointer, work: @escaping () -> Void) {
        self.point = point
        self.index = index
        self.work = work
    }

    func lockIndex(_ lock: IndexLock, _ proceed: (IndexLock) -> Int32) -> Int32 {
        // A guarded one has no lock to give up between reading the header and its end.
        if lock.slots == IndexLock.checkpoint, !lock.isLocking, point == .headerIsRead { doWork() }
        let result = proceed(lock)
        guard result == 0 else { return result }
        switch lock.slots {
        case IndexLock.checkpoint:
            isCheckpointing = lock.isLocking
            // The engine then reads it again under the write lock, which it releases before it goes on: there the other
            // comes in. While it has the write lock nobody can be writing it.
            if lock.isLocking, !hasWriteLock, point == .headerIsRead, work != nil { turnHeader() }
        case IndexLock.write:
            hasWriteLock = lock.isLocking
            if lock.isLocking, isHeaderTorn { turnHeader() }
            if !lock.isLocking, isCheckpointing, point == .headerIsRead { doWork() }
        case 3..<4 where lock.isLocking && isCheckpointing && point == .copies:
            doWork()
        default: break
        }
        return result
    }

    private func doWork() {
        work.take()?()
    }

    /// Makes the two copies of the header unequal, as a writer does between writing the one and the other; or equal
    /// again.
    private func turnHeader() {
        index.advanced(by: 8).assumingMemoryBound(to: UInt8.self).pointee ^= 0xFF
        isHeaderTorn.toggle()
    }
}
