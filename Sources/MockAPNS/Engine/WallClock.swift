package import MockAPNSCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The machine's clock; nothing else asks what time it is.
package enum WallClock {
    /// Now, in whole milliseconds since 1970.
    package static func now() -> Timestamp {
        Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
    }
}
