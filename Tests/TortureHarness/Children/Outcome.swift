import Foundation

/// How a command went.
struct Outcome {
    let words: String
    let ending: ChildProcess.Ending
    let output: String
    let errors: String
    /// Whether it was still there when the time was over.
    let isHung: Bool
    /// Whether one SIGTERM ended it then.
    let endsBySIGTERM: Bool

    var status: Int32? {
        if case .exited(let status) = ending { status } else { nil }
    }

    var succeeded: Bool { !isHung && status == 0 }

    /// What is told of it in a problem.
    var summary: String {
        let end =
            switch ending {
            case .exited(let status): "exit code \(status)"
            case .killed(let signal): "signal \(signal)"
            }
        let message = errors.split(separator: "\n").first.map { ": \($0.prefix(240))" } ?? ""
        return "`\(words)` \(isHung ? "hung, then \(end)" : end)\(message)"
    }
}

extension ChildProcess {
    /// Waits for the end; one that hangs gets SIGTERM, and SIGKILL after that.
    func finish(limit: Double) -> Outcome {
        closeInput()
        let isHung = !wait(seconds: limit)
        var endsBySIGTERM = false
        if isHung {
            send(signal: SIGTERM)
            endsBySIGTERM = wait(seconds: 10)
            if !endsBySIGTERM {
                send(signal: SIGKILL)
                wait(seconds: 60)
            }
        }
        return Outcome(
            words: words, ending: ending ?? .killed(by: SIGKILL), output: output, errors: errors, isHung: isHung,
            endsBySIGTERM: endsBySIGTERM)
    }
}
