// Who writes a test with the trait asks the server, too: one import is enough.
@_exported public import MockAPNS
