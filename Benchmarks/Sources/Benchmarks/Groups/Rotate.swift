import Strongroom

extension Group {
    /// Each side has a file of its own, and gives it another key each time.
    static let rotate = Group("rotate", "a file with another key; what proves it is measured apart") { workplace in
        let size = workplace.megabytes
        let own = try await RotatingFile(in: workplace.directory, megabytes: size)
        let rekeyed = try await RotatingFile(in: workplace.directory, megabytes: size)
        let exported = try await RotatingFile(in: workplace.directory, megabytes: size)
        return [
            Measure(
                name: "rotate, \(size) MB",
                unit: .milliseconds,
                ours: { try await own.rotate().writingDuration },
                rival: Measure.Side(name: "C rekey", target: 1 / 1.15) { try rekeyed.rekey() }
            ),
            Measure(
                name: "rotate, \(size) MB, export",
                unit: .milliseconds,
                ours: { try await own.rotate().writingDuration },
                rival: Measure.Side(name: "C export", target: 1 / 1.15) { try exported.export() }
            ),
            Measure(
                name: "rotate, \(size) MB, verification",
                unit: .milliseconds,
                ours: { try await own.rotate().verificationDuration }
            ),
        ]
    }
}
