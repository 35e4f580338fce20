import MockAPNSTransport
import Synchronization

extension Engine {
    /// Long enough for the rest of a group to close as well.
    private static let delayAfterPeak = Duration.seconds(10)

    /// Returns memory to the system, once for all calls made until then.
    func giveBackMemorySoon() {
        guard !givesBackMemory.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // Not on a loop: those have ended when the last connections of the admin port close.
        Task.detached(priority: .background) { [weak self] in
            try? await Task.sleep(for: Self.delayAfterPeak)
            self?.givesBackMemory.store(false, ordering: .releasing)
            FreedMemory.giveBack()
        }
    }
}
