/// What APNs did with an accepted push, and when: one element of the member `deliveries` of its record.
package struct DeliveryStep: Sendable, Hashable {
    /// The delivery status from then on.
    package let state: Delivery
    /// The time on the scenario's clock.
    package let clock: Timestamp

    /// Maximum number of steps kept of a push. A device that goes offline and on again, and saves power meanwhile, makes
    /// new ones while a push is stored for it.
    static let most = 32

    /// Creates a step.
    package init(_ state: Delivery, at clock: Timestamp) { (self.state, self.clock) = (state, clock) }
}

extension RequestSegment {
    /// Returns what APNs has done with the push of the record at `index`, oldest first; nothing if it was not accepted.
    func deliveries(at index: Int) -> [DeliveryStep] {
        if let steps = steps[index] { return steps }
        let record = records[index]
        return record.delivery.map { [DeliveryStep($0, at: record.clock)] } ?? []
    }

    /// Notes that the delivery status of the record at `index` changes.
    mutating func note(_ delivery: Delivery, at index: Int, clock: Timestamp) {
        guard records[index].delivery != delivery else { return }
        var known = deliveries(at: index)
        // The first step and the latest ones say the most.
        if known.count == DeliveryStep.most { known.remove(at: 1) }
        known.append(DeliveryStep(delivery, at: clock))
        steps[index] = known
    }

    /// The member `deliveries` of the record at `index`, with a comma before it.
    func deliveriesText(at index: Int) -> [UInt8] {
        var text: [UInt8] = []
        text.appendKey(.deliveries)
        text.append(UInt8(ascii: "["))
        for (number, step) in deliveries(at: index).enumerated() {
            text.append(contentsOf: (number == 0 ? #"{"state":"# : #",{"state":"#).utf8)
            text.appendJSON(step.state.name)
            text.appendMember("clock", step.clock)
            text.append(UInt8(ascii: "}"))
        }
        text.append(UInt8(ascii: "]"))
        return text
    }
}
