/// The current time on both clocks.
package struct Moment: Sendable {
    /// The real time, which determines the validity of provider tokens.
    package var real: Timestamp
    /// The device time: equal to the real time unless the scenario's clock is manual.
    package var clock: Timestamp

    /// Creates a moment, by default with the same time on both clocks.
    package init(real: Timestamp, clock: Timestamp? = nil) {
        self.real = real
        self.clock = clock ?? real
    }
}
