// Records, matches, reasons, deliveries: what a test says of pushes is said in the words of the core.
@_exported public import MockAPNSCore
