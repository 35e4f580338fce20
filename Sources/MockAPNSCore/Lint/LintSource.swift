/// Where a rule of lint comes from.
package struct LintSource: Sendable, Hashable {
    /// Its usual name.
    package var title: String
    /// Where it can be read, if it has one address.
    package var address: String?

    private init(_ title: String, _ address: String? = nil) {
        self.title = title
        self.address = address
    }

    /// Returns a page of Apple's documentation.
    private static func apple(_ title: String, _ path: String) -> Self {
        Self(title, "https://developer.apple.com/documentation/\(path)")
    }

    /// Returns threads of other projects' trackers that report the mistake, as `owner/name#number`.
    static func reported(_ threads: String) -> Self { Self("reported: \(threads)") }

    static let generating = apple(
        "Generating a remote notification", "usernotifications/generating-a-remote-notification")
    static let sending = apple(
        "Sending notification requests to APNs", "usernotifications/sending-notification-requests-to-apns")
    static let background = apple(
        "Pushing background updates to your app", "usernotifications/pushing-background-updates-to-your-app")
    static let modifying = apple(
        "Modifying content in newly delivered notifications",
        "usernotifications/modifying-content-in-newly-delivered-notifications")
    static let interruptionLevel = apple(
        "UNNotificationInterruptionLevel", "usernotifications/unnotificationinterruptionlevel")
    static let sounds = apple("UNNotificationSound", "usernotifications/unnotificationsound")
    static let liveActivities = apple(
        "Starting and updating Live Activities with ActivityKit push notifications",
        "activitykit/starting-and-updating-live-activities-with-activitykit-push-notifications")
    static let widgets = apple(
        "Updating widgets with WidgetKit push notifications",
        "widgetkit/updating-widgets-with-widgetkit-push-notifications")
    static let pushKit = apple(
        "Responding to VoIP Notifications from PushKit", "pushkit/responding-to-voip-notifications-from-pushkit")
    static let complications = apple("PKPushType.complication", "pushkit/pkpushtype/complication")
    static let pushToTalk = apple("Creating a Push to Talk app", "pushtotalk/creating-a-push-to-talk-app")
    static let fileProvider = apple(
        "Using push notifications to signal changes", "fileprovider/using-push-notifications-to-signal-changes")
    static let mdm = Self("Mobile Device Management Protocol Reference")
    static let websites = Self(
        "Configuring Safari Push Notifications",
        "https://developer.apple.com/library/archive/documentation/NetworkingInternet/Conceptual/"
            + "NotificationProgrammingGuideForWebsites/PushNotifications/PushNotifications.html")
    /// The guide of 2017, which has some things that the pages of today leave out.
    static let guide = Self(
        "Local and Remote Notification Programming Guide",
        "https://developer.apple.com/library/archive/documentation/NetworkingInternet/Conceptual/RemoteNotificationsPG/"
    )
    static let tokens = apple(
        "Establishing a token-based connection to APNs",
        "usernotifications/establishing-a-token-based-connection-to-apns")
    static let responses = apple(
        "Handling notification responses from APNs", "usernotifications/handling-notification-responses-from-apns")
    static let troubleshooting = apple(
        "Troubleshooting push notifications", "usernotifications/troubleshooting-push-notifications")
    static let channels = apple(
        "Sending channel management requests to APNs",
        "usernotifications/sending-channel-management-requests-to-apns")
    static let liveActivityForum = Self(
        "Apple Developer Forums, thread 776165", "https://developer.apple.com/forums/thread/776165")
    static let forum = Self("Apple Developer Forums")
    static let json = Self("RFC 8259", "https://www.rfc-editor.org/rfc/rfc8259")
    static let unicodeInJSON = Self("RFC 8259, section 8.2", "https://www.rfc-editor.org/rfc/rfc8259#section-8.2")
    static let numbersInJSON = Self("RFC 8259, section 6", "https://www.rfc-editor.org/rfc/rfc8259#section-6")
    static let rfc9110 = Self(
        "RFC 9110, section 10.2.3", "https://www.rfc-editor.org/rfc/rfc9110#name-retry-after")
    static let http2 = Self(
        "RFC 9113, section 8.3.1", "https://www.rfc-editor.org/rfc/rfc9113#name-request-pseudo-header-field")
    /// Observed but undocumented.
    static let observed = Self("observed")
    /// Only this project says so.
    static let judgement = Self("a judgement of mock-apns")
}
