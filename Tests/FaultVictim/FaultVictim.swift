import FaultWork
import Foundation
import Strongroom

/// Does one kind of work in a directory, and says on standard output what is done for good, at once and line by line.
///
/// `FaultVictim run KIND DIRECTORY [FILLER]` says `step N` after a step and `done` at the end, or
/// `failed CODE MESSAGE`. When the disk is full and there is a filler, it says `full`, removes the filler and goes on.
/// `FaultVictim prepare KIND DIRECTORY` makes the file as it is before the work, and kills itself while the store is
/// open. `FaultVictim rows MASKED DIRECTORY` works with rows that the engine puts together of two halves, so that only
/// its memory ever has them whole; it says `open` and `closed` as the next one does.
/// `FaultVictim salvage MASKED DIRECTORY` damages a file of such rows, diagnoses and salvages it, and says `closed`.
/// `FaultVictim secrets MASKED DIRECTORY` works with secrets that are given masked, says `open` and `closed`, and waits
/// for its standard input to end after each.
@main
enum FaultVictim {
    static func main() async {
        let arguments = CommandLine.arguments
        if arguments.count == 4, arguments[1] == "secrets" {
            await Secrets(masked: arguments[2]).run(in: arguments[3])
            return
        }
        if arguments.count == 4, arguments[1] == "rows" {
            await Secrets(masked: arguments[2]).runRows(in: arguments[3])
            return
        }
        if arguments.count == 4, arguments[1] == "salvage" {
            await Secrets(masked: arguments[2]).runSalvage(in: arguments[3])
            return
        }
        guard arguments.count >= 4, let work = Works.named(arguments[2]) else { return end("failed usage", 2) }
        do {
            var relieve: (@Sendable () throws -> Void)?
            if arguments.count > 4 { relieve = { try remove(filler: arguments[4]) } }
            let place = Place(arguments[3], relieve: relieve)
            if arguments[1] == "prepare" {
                let store = try await work.prepare(in: place)
                withExtendedLifetime(store) { _ = kill(getpid(), SIGKILL) }
            }
            try await work.run(in: place) { step in say("step \(step)") }
            say("done")
        } catch let error as StrongroomError {
            end("failed \(error)", 1)
        } catch {
            end("failed \(error)", 1)
        }
    }

    private static func remove(filler: String) throws {
        say("full")
        try FileManager.default.removeItem(atPath: filler)
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    private static func end(_ line: String, _ status: Int32) {
        say(line)
        exit(status)
    }
}
