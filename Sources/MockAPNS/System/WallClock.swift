package import MockAPNSCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The system clock; nothing else asks for the time of day.
package enum WallClock {
    /// Returns the current time, in whole milliseconds since 1970.
    package static func now() -> Timestamp {
        Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
    }
}
