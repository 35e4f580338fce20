internal import CMockNGHTTP2

/// Memory that was freed but is kept by the C library.
package enum FreedMemory {
    /// Returns it to the system. This takes milliseconds in which other threads may have to wait for memory, so it is
    /// for use after a peak, never for a single connection.
    package static func giveBack() { mock_give_back_memory() }
}
