import Foundation
import Strongroom
import Synchronization

/// A client of the service that adds, lists and searches patients until the test is over.
struct SoakClient {
    /// A number of its own among all clients of all processes.
    let number: Int
    let service: ServiceProcess
    let clinics: [String]
    let acknowledged: Acknowledged

    /// Sends requests over one connection, a fifth of which are writes.
    ///
    /// - Throws: ``HTTPClient/Disconnected`` if the connection ends before the test does.
    func sendRequests() throws {
        let client = try service.client()
        // The newest patient of this client in each clinic: an acknowledged write is seen by the next search.
        var newest: [String: String] = [:]
        var request = 0
        while !acknowledged.isOver.load(ordering: .relaxed) {
            request += 1
            let clinic = frequentClinic()
            let path = "/clinics/\(clinic)/patients"
            switch request % 5 {
            case 0:
                let name = "p\(number)x\(request)"
                let answer = try client.request("POST", path, #"{"name": "\#(name)", "note": "a long load"}"#)
                guard accept(answer, 201) else { return }
                acknowledged.add(name, to: clinic)
                newest[clinic] = name
            case 1:
                guard let name = newest[clinic] else { continue }
                let answer = try client.request("GET", "\(path)?q=\(name)")
                guard accept(answer, 200, containing: #""\#(name)""#) else { return }
            default:
                // The second page of a clinic that has rows.
                let page = newest[clinic] == nil ? path : "\(path)?after=1"
                guard accept(try client.request("GET", page), 200) else { return }
            }
        }
    }

    /// Follows the events of one clinic after another, and goes away in the middle of each stream.
    ///
    /// - Throws: ``HTTPClient/Disconnected`` if a stream ends before the test does.
    func followEvents() throws {
        while !acknowledged.isOver.load(ordering: .relaxed) {
            let client = try service.client()
            try client.openEvents("/clinics/\(frequentClinic())/events")
            // The first one comes without a commit.
            guard try client.nextEvent() != nil else { throw HTTPClient.Disconnected() }
            Thread.sleep(forTimeInterval: 0.2)
        }
    }

    /// A few clinics get most of the requests.
    private func frequentClinic() -> String {
        let share = Double.random(in: 0..<1)
        return clinics[Int(Double(clinics.count) * share * share * share)]
    }

    /// Whether the answer is the expected one. Otherwise the test fails.
    private func accept(_ answer: HTTPClient.Answer, _ status: Int, containing text: String = "") -> Bool {
        let isExpected = answer.status == status && (text.isEmpty || answer.body.contains(text))
        if !isExpected { acknowledged.unexpected.withLock { $0.append(answer.status) } }
        return isExpected
    }
}
