let note: Note = given()
