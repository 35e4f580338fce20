import NIOCore
import NIOPosix
import Logging
import SystemPackage
public enum P1 {}
