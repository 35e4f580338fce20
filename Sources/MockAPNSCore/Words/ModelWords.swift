@_exported public import MockAPNSJSON
@_exported public import MockAPNSModel

// The words of the model, without their namespace.

package typealias AfterGoAway = MockAPNSWords.AfterGoAway
package typealias AppState = MockAPNSWords.AppState
package typealias AuthenticationMethod = MockAPNSWords.AuthenticationMethod
package typealias AuthenticationMode = MockAPNSWords.AuthenticationMode
package typealias AuthenticationVerdict = MockAPNSWords.AuthenticationVerdict
package typealias BroadcastCall = MockAPNSWords.BroadcastCall
package typealias ChannelStorage = MockAPNSWords.ChannelStorage
package typealias DecidedBy = MockAPNSWords.DecidedBy
package typealias Delivery = MockAPNSWords.Delivery
package typealias DeviceBudget = MockAPNSWords.DeviceBudget
package typealias Ending = MockAPNSWords.Ending
package typealias Environment = MockAPNSWords.Environment
package typealias ErrorCode = MockAPNSWords.ErrorCode
package typealias HistoryState = MockAPNSWords.HistoryState
package typealias Hostility = MockAPNSWords.Hostility
package typealias InterruptionLevel = MockAPNSWords.InterruptionLevel
package typealias LastStream = MockAPNSWords.LastStream
package typealias LintSeverity = MockAPNSWords.LintSeverity
package typealias LiveActivityEvent = MockAPNSWords.LiveActivityEvent
package typealias LiveActivityTokens = MockAPNSWords.LiveActivityTokens
package typealias NotificationAuthorization = MockAPNSWords.NotificationAuthorization
package typealias Outcome = MockAPNSWords.Outcome
package typealias Platform = MockAPNSWords.Platform
package typealias PushType = MockAPNSWords.PushType
package typealias Reason = MockAPNSWords.Reason
package typealias Repetition = MockAPNSWords.Repetition
package typealias RequestField = MockAPNSWords.RequestField
package typealias RuleTrigger = MockAPNSWords.RuleTrigger
package typealias Sender = MockAPNSWords.Sender
package typealias ServerCertificateFault = MockAPNSWords.ServerCertificateFault
package typealias TLSAlert = MockAPNSWords.TLSAlert
