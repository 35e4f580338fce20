/// Finds a device by its token: open addressing with linear probing.
///
/// A slot has four bytes: the device number plus one in the lower 24 bits, 0 for a free slot, and 8 bits of the hash in
/// the upper ones, so that a record is rarely read for nothing.
struct DeviceTokenIndex: ~Copyable, Sendable {
    private var slots = [UInt32](repeating: 0, count: 64)
    private(set) var count = 0
    private let key: HashKey

    init(key: HashKey) { self.key = key }

    @inline(__always)
    func find(_ token: DeviceToken, in records: borrowing DeviceRecords) -> DeviceIndex? {
        let hash = token.hash(key)
        let mask = slots.count - 1
        var position = Int(truncatingIfNeeded: hash) & mask
        while true {
            let slot = slots[position]
            if slot == 0 { return nil }
            if slot >> 24 == UInt32(truncatingIfNeeded: hash >> 56) {
                let device = DeviceIndex(rawValue: slot & 0xFF_FFFF - 1)
                if records.isToken(token, of: device) { return device }
            }
            position = (position + 1) & mask
        }
    }

    mutating func insert(_ device: DeviceIndex, _ token: DeviceToken, in records: borrowing DeviceRecords) {
        count += 1
        if count * 4 > slots.count * 3 { grow(records) }
        put(device, token.hash(key))
    }

    private mutating func put(_ device: DeviceIndex, _ hash: UInt64) {
        let mask = slots.count - 1
        var position = Int(truncatingIfNeeded: hash) & mask
        while slots[position] != 0 { position = (position + 1) & mask }
        slots[position] = UInt32(truncatingIfNeeded: hash >> 56) << 24 | (device.rawValue + 1)
    }

    private mutating func grow(_ records: borrowing DeviceRecords) {
        let old = slots
        slots = [UInt32](repeating: 0, count: old.count * 2)
        for slot in old where slot != 0 {
            let device = DeviceIndex(rawValue: slot & 0xFF_FFFF - 1)
            put(device, records.token(of: device).hash(key))
        }
    }

    /// Removes a device from the index. Entries displaced by it move back, so that no gap interrupts a probe sequence.
    mutating func remove(_ device: DeviceIndex, _ token: DeviceToken, in records: borrowing DeviceRecords) {
        let mask = slots.count - 1
        var gap = Int(truncatingIfNeeded: token.hash(key)) & mask
        while slots[gap] & 0xFF_FFFF != device.rawValue + 1 { gap = (gap + 1) & mask }
        var position = gap
        while true {
            position = (position + 1) & mask
            let slot = slots[position]
            if slot == 0 { break }
            let other = DeviceIndex(rawValue: slot & 0xFF_FFFF - 1)
            let home = Int(truncatingIfNeeded: records.token(of: other).hash(key)) & mask
            // It may move into the gap unless its home slot is after the gap.
            if (position - home) & mask >= (position - gap) & mask {
                slots[gap] = slot
                gap = position
            }
        }
        slots[gap] = 0
        count -= 1
    }
}
