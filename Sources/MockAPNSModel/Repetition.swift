extension MockAPNSWords {
    /// The behavior of a rule after its last step.
    public enum Repetition: String, MockAPNSWord {
        /// The last step is repeated.
        case last
        /// The rule is used up.
        case stop
        /// The steps start over.
        case cycle
    }
}
