let contact: Contact = given()
let token = UUID().uuidString
let secret = "a long passphrase"
