// A target needs a source file. This one includes nothing: the framework's module is made for Objective-C, not for C.
