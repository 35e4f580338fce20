extension MockAPNSWords {
    /// The fault of the certificate that the server presents.
    public enum ServerCertificateFault: String, MockAPNSWord {
        /// It has expired.
        case expired
        /// It is for another name.
        case otherName
        /// It was issued by an unknown authority.
        case untrusted
    }
}
