/// Instructions for a newly opened connection.
package struct OpeningInstructions: Sendable, Equatable {
    /// The id of the connection.
    package var id: Int
    /// The stream limit in the first SETTINGS.
    package var streamLimit: Int
    /// The actions after the first SETTINGS; usually none.
    package var actions: [ConnectionAction] = []
    /// Whether the GOAWAY frames in ``actions`` replace the first SETTINGS.
    package var omitsSettings = false
    /// Why the client's certificate is refused, as a sentence.
    package var rejection: String?
}
