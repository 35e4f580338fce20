/// The text of a time in quotation marks. Usually only its milliseconds change.
struct TimeText: Sendable {
    private(set) var text: [UInt8] = []
    private var second = Int64.min

    mutating func set(_ time: Timestamp) {
        if time.seconds != second {
            text.removeAll(keepingCapacity: true)
            text.appendJSON(time)
            second = time.seconds
            return
        }
        let milliseconds = time.milliseconds - second * 1000
        text[21] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: milliseconds / 100)
        text[22] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: milliseconds / 10 % 10)
        text[23] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: milliseconds % 10)
    }
}
