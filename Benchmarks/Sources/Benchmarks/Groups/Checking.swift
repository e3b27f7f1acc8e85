import Strongroom

extension Group {
    /// The rival rewrites a file with another key and checks nothing, or computes nothing but the codes of all pages.
    static let checking = Group("checking", "rotation, backup, restore and verification with all checks") { workplace in
        let contents: [(String, RotatingFile.Content)] = [
            ("\(workplace.megabytes) MB", .bytes(megabytes: workplace.megabytes)),
            ("\(5 * workplace.megabytes) MB", .bytes(megabytes: 5 * workplace.megabytes)),
            ("random index", .randomIndex(rows: workplace.indexRows)),
        ]
        var measures: [Measure] = []
        for (name, content) in contents {
            let own = try await RotatingFile(in: workplace.directory, content)
            let converted = try await RotatingFile(in: workplace.directory, content)
            let rekeyed = try await RotatingFile(in: workplace.directory, content)
            let rekey = Measure.Side(name: "C rekey", target: 1 / 1.5) { try rekeyed.rekey() }
            measures += [
                Measure(
                    name: "rotate, checked, \(name)", unit: .milliseconds, ours: { try await own.rotateChecked() },
                    rival: rekey, machineLimit: { try own.leastRotation() }),
                Measure(
                    name: "backup, \(name)", unit: .milliseconds, ours: { try await own.backup() }, rival: rekey),
                Measure(
                    name: "restore, \(name)", unit: .milliseconds, ours: { try await own.restore() }, rival: rekey),
                Measure(
                    name: "convert, \(name)", unit: .milliseconds, ours: { try await converted.convert() },
                    rival: Measure.Side(name: "C export", target: 1 / 1.5) { try rekeyed.export() }),
                Measure(
                    name: "verify pages, \(name)", unit: .milliseconds,
                    ours: { try await own.verify(structure: false) },
                    rival: Measure.Side(name: "codes in C", target: 0.8) { try own.hash() }),
                Measure(
                    name: "verify, \(name)", unit: .milliseconds, ours: { try await own.verify(structure: true) },
                    rival: Measure.Side(name: "C integrity_check", target: nil) { try own.check() },
                    machineLimit: { try own.hash() }),
            ]
        }
        return measures
    }
}
