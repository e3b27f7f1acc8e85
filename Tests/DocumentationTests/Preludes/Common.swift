// For every guide: what its examples use without declaring it. They are compiled and not run.
import Foundation
import Strongroom

func given<Value>() -> Value { fatalError() }

let stores: Stores = given()
let store: Store = given()
