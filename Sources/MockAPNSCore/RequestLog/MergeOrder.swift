/// The order in which several streams of records are merged by time, and how sure it is.
///
/// The order of each stream is kept. Frames of replicas and lines of logs are merged by it.
package struct MergeOrder: Sendable {
    /// Closer together than this, requests of different streams may have come in another order, because clocks and
    /// networks differ by as much. In milliseconds.
    package static let tolerance: Int64 = 50

    /// Of the requests so far, the latest time, and time and stream of the last one.
    private var noted: (latest: Int64, time: Int64, stream: Int)?
    /// The number of requests that came less than ``tolerance`` after one of another stream.
    package private(set) var closeCount = 0
    /// The number of requests that came after one that is more than ``tolerance`` later.
    package private(set) var lateCount = 0

    /// Creates the order of no records yet.
    package init() {}

    /// Returns the stream whose next item is the earliest, the first of several, and the time of the earliest item of the
    /// others.
    ///
    /// - Parameter times: the time of the next item of each stream; `nil` for none.
    package static func earliest(_ times: some Sequence<Int64?>) -> (stream: Int, time: Int64, others: Int64?)? {
        var earliest: (stream: Int, time: Int64, others: Int64?)?
        for (stream, time) in times.enumerated() {
            guard let time else { continue }
            guard let known = earliest else {
                earliest = (stream, time, nil)
                continue
            }
            if known.time <= time {
                earliest?.others = min(known.others ?? .max, time)
            } else {
                earliest = (stream, time, known.time)
            }
        }
        return earliest
    }

    /// Notes that a request comes next.
    ///
    /// - Parameter time: its time in milliseconds, not before that of another item of its stream, whose clock may have been
    ///   set back.
    package mutating func noteRequest(at time: Int64, of stream: Int) {
        if let noted {
            if time < noted.latest - Self.tolerance {
                lateCount += 1
            } else if noted.stream != stream, time < noted.time + Self.tolerance {
                closeCount += 1
            }
        }
        noted = (max(noted?.latest ?? .min, time), time, stream)
    }
}
