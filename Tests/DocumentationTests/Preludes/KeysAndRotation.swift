let secretOf2025 = "a long passphrase"
let secretOf2026 = "another long passphrase"
let secretOfTheBackup = "kept elsewhere"
let keyPath = "/srv/keys/addressbook"
let transferPath = "/srv/transfer.sqlite"
let texts: [String] = []
let publicKeyPath = "/srv/keys/public.pem"
