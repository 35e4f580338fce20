// These names are unique within the package, so they need no prefix.

package typealias Configuration = MockAPNSServer.Configuration
package typealias TrustedKey = MockAPNSServer.Configuration.TrustedKey
package typealias LogDestination = MockAPNSServer.Configuration.LogDestination
package typealias ScenarioSource = MockAPNSServer.ScenarioSource
package typealias ControlError = MockAPNSServer.ControlError
