import Hummingbird
public enum P2 {}
