import ArgumentParser
import Dispatch

@main
enum Program {
    /// The main thread waits: valgrind, under which the hot loops run, does not survive how the main queue ends it.
    static func main() {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            await BenchmarksCommand.main()
            done.signal()
        }
        done.wait()
    }
}
