// libFuzzer brings `main` along and calls these two functions by their names (https://llvm.org/docs/LibFuzzer.html).

import FuzzTargets

/// Called once, before any input. The first argument is ours, and libFuzzer does not get to see it.
@_cdecl("LLVMFuzzerInitialize")
func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>
) -> CInt {
    unsafe Fuzzer.begin((1..<Int(count.pointee)).map { unsafe String(cString: arguments.pointee[$0]) })
    unsafe arguments.pointee[1] = arguments.pointee[0]
    unsafe arguments.pointee += 1
    unsafe count.pointee -= 1
    return 0
}

/// Called with each input.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe Fuzzer.test(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
