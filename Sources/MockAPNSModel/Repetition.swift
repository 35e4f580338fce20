extension MockAPNSWords {
    /// What follows the last step of a rule.
    public enum Repetition: String, MockAPNSWord {
        /// The last step is repeated.
        case last
        /// The rule is used up.
        case stop
        /// The steps start over.
        case cycle
    }
}
