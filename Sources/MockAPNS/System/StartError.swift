package import MockAPNSModel

/// The error of starting a server, without its namespace.
package typealias StartError = MockAPNSWords.StartError
