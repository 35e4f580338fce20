public enum TransportPlaceholder {}
