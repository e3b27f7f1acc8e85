// Nothing to call: to be linked with the tests is enough.
