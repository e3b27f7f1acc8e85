struct User {
    let name: String
}

let user: User = given()
let patient: Patient = given()
let key: Int64 = 1
let number: Int64 = 1
var last: Int64 {
    get { given() }
    set {}
}
