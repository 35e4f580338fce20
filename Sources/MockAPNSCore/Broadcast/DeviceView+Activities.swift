extension DeviceView {
    /// Returns the device with its Live Activities on broadcast channels, and those with tokens of their own.
    package func adding(_ subscriptions: Subscriptions, of device: DeviceIndex) -> Self {
        var view = self
        view.listening += subscriptions.activities(of: device, at: time)
        view.startTokens = subscriptions.tokens.startTokens(of: device)
        return view
    }
}
