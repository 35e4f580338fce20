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
    package static func reported(_ threads: String) -> Self { Self("reported: \(threads)") }

    package static let generating = apple(
        "Generating a remote notification", "usernotifications/generating-a-remote-notification")
    package static let sending = apple(
        "Sending notification requests to APNs", "usernotifications/sending-notification-requests-to-apns")
    package static let background = apple(
        "Pushing background updates to your app", "usernotifications/pushing-background-updates-to-your-app")
    package static let modifying = apple(
        "Modifying content in newly delivered notifications",
        "usernotifications/modifying-content-in-newly-delivered-notifications")
    package static let interruptionLevel = apple(
        "UNNotificationInterruptionLevel", "usernotifications/unnotificationinterruptionlevel")
    package static let sounds = apple("UNNotificationSound", "usernotifications/unnotificationsound")
    package static let liveActivities = apple(
        "Starting and updating Live Activities with ActivityKit push notifications",
        "activitykit/starting-and-updating-live-activities-with-activitykit-push-notifications")
    package static let widgets = apple(
        "Updating widgets with WidgetKit push notifications",
        "widgetkit/updating-widgets-with-widgetkit-push-notifications")
    package static let pushKit = apple(
        "Responding to VoIP Notifications from PushKit", "pushkit/responding-to-voip-notifications-from-pushkit")
    package static let complications = apple("PKPushType.complication", "pushkit/pkpushtype/complication")
    package static let pushToTalk = apple("Creating a Push to Talk app", "pushtotalk/creating-a-push-to-talk-app")
    package static let fileProvider = apple(
        "Using push notifications to signal changes", "fileprovider/using-push-notifications-to-signal-changes")
    package static let mdm = Self("Mobile Device Management Protocol Reference")
    package static let websites = Self(
        "Configuring Safari Push Notifications",
        "https://developer.apple.com/library/archive/documentation/NetworkingInternet/Conceptual/"
            + "NotificationProgrammingGuideForWebsites/PushNotifications/PushNotifications.html")
    /// The guide of 2017, which has some things that the pages of today leave out.
    package static let guide = Self(
        "Local and Remote Notification Programming Guide",
        "https://developer.apple.com/library/archive/documentation/NetworkingInternet/Conceptual/RemoteNotificationsPG/"
    )
    package static let tokens = apple(
        "Establishing a token-based connection to APNs",
        "usernotifications/establishing-a-token-based-connection-to-apns")
    package static let responses = apple(
        "Handling notification responses from APNs", "usernotifications/handling-notification-responses-from-apns")
    package static let troubleshooting = apple(
        "Troubleshooting push notifications", "usernotifications/troubleshooting-push-notifications")
    package static let channels = apple(
        "Sending channel management requests to APNs",
        "usernotifications/sending-channel-management-requests-to-apns")
    package static let liveActivityForum = Self(
        "Apple Developer Forums, thread 776165", "https://developer.apple.com/forums/thread/776165")
    package static let forum = Self("Apple Developer Forums")
    package static let json = Self("RFC 8259", "https://www.rfc-editor.org/rfc/rfc8259")
    package static let unicodeInJSON = Self(
        "RFC 8259, section 8.2", "https://www.rfc-editor.org/rfc/rfc8259#section-8.2")
    package static let numbersInJSON = Self("RFC 8259, section 6", "https://www.rfc-editor.org/rfc/rfc8259#section-6")
    package static let rfc9110 = Self(
        "RFC 9110, section 10.2.3", "https://www.rfc-editor.org/rfc/rfc9110#name-retry-after")
    package static let http2 = Self(
        "RFC 9113, section 8.3.1", "https://www.rfc-editor.org/rfc/rfc9113#name-request-pseudo-header-field")
    /// Observed but undocumented.
    package static let observed = Self("observed")
    /// Only this project says so.
    package static let judgement = Self("a judgement of mock-apns")
}
