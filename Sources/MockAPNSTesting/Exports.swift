// A test with the trait also calls the server, so that one import is enough.
@_exported public import MockAPNS
