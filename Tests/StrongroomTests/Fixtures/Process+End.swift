import Foundation

extension Process {
    /// Waits on the running thread until the program has ended.
    ///
    /// On Linux, Foundation's `waitUntilExit` waits until everybody has closed a socket that the program has inherited,
    /// and so may have any process that another test started at the same moment: one that runs until its own test goes
    /// on, which cannot as long as such waits occupy all threads.
    ///
    /// - Returns: The exit code, or the number of the signal.
    @discardableResult
    func waitForEnd() -> Int32 {
        #if canImport(Glibc)
        var info = siginfo_t()
        repeat {
            // It stays for Foundation, which waits for it, too.
            if waitid(P_PID, id_t(processIdentifier), &info, WEXITED | WNOWAIT) == 0 {
                return info._sifields._sigchld.si_status
            }
        } while errno == EINTR
        #endif
        // Foundation has noticed it already.
        waitUntilExit()
        return terminationStatus
    }
}
