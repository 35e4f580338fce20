package import MockAPNSCore

extension DeclaredDevice {
    /// Whether the user allows notifications.
    package var allowsNotifications: Bool {
        get { phone.allowsNotifications }
        set { phone.allowsNotifications = newValue }
    }
}

extension DeviceChange {
    /// Whether the user allows notifications, all or none.
    package var allowsNotifications: Bool? {
        get { phone.permission.authorization.map { $0 != .denied } }
        set { phone.permission = newValue.map { PhoneChange.Permission(allowsAll: $0) } ?? PhoneChange.Permission() }
    }
}
