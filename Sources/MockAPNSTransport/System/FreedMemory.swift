internal import CMockNGHTTP2

/// Memory that was freed and that the C library keeps for later.
package enum FreedMemory {
    /// Gives it back to the system. Takes milliseconds, in which other threads may have to wait for memory, so it is for
    /// the time after a peak, never for a single connection.
    package static func giveBack() { mock_give_back_memory() }
}
