struct Connection {
    func send(_ part: [UInt8]) async throws {}
}

let connection = Connection()
let parts: [Data] = []
let path = "/srv/film"
let size = 600_000
let header: [UInt8] = []
