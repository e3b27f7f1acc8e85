import StrongroomReplication

let objects: any ObjectStore = given()
let replica: Replica = given()
let moment = Date.now
