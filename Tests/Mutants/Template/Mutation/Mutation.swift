// What mutants are made of: the modules that `make mutants` copies call these functions. No target of the project has them.
//
// The first argument is the number of a mutant. Each function does what the original did unless that mutant is alive.

public import MutantSwitch

/// Whether that mutant is the one to be tried.
@inlinable
@inline(__always)
public func _mutant(_ number: Int32) -> Bool { mutant_is_alive(number) }

// MARK: Conditions

/// A condition that always holds when the mutant is alive.
@inlinable
@inline(__always)
public func _true(_ number: Int32, _ value: Bool) -> Bool { mutant_is_alive(number) ? true : value }

/// A condition that never holds when the mutant is alive.
@inlinable
@inline(__always)
public func _false(_ number: Int32, _ value: Bool) -> Bool { mutant_is_alive(number) ? false : value }

/// The opposite when the mutant is alive.
@inlinable
@inline(__always)
public func _not(_ number: Int32, _ value: Bool) -> Bool { mutant_is_alive(number) != value }

// MARK: Borders of comparisons

/// `a < b`, or `a <= b`.
@inlinable
@inline(__always)
public func _less<T: Comparable>(_ number: Int32, _ a: T, _ b: T) -> Bool {
    mutant_is_alive(number) ? a <= b : a < b
}

/// `a <= b`, or `a < b`.
@inlinable
@inline(__always)
public func _lessOrEqual<T: Comparable>(_ number: Int32, _ a: T, _ b: T) -> Bool {
    mutant_is_alive(number) ? a < b : a <= b
}

/// `a > b`, or `a >= b`.
@inlinable
@inline(__always)
public func _greater<T: Comparable>(_ number: Int32, _ a: T, _ b: T) -> Bool {
    mutant_is_alive(number) ? a >= b : a > b
}

/// `a >= b`, or `a > b`.
@inlinable
@inline(__always)
public func _greaterOrEqual<T: Comparable>(_ number: Int32, _ a: T, _ b: T) -> Bool {
    mutant_is_alive(number) ? a > b : a >= b
}

/// The smaller one, or the larger one.
@inlinable
@inline(__always)
public func _least<T: Comparable>(_ number: Int32, _ a: T, _ b: T) -> T {
    mutant_is_alive(number) ? max(a, b) : min(a, b)
}

/// The larger one, or the smaller one.
@inlinable
@inline(__always)
public func _greatest<T: Comparable>(_ number: Int32, _ a: T, _ b: T) -> T {
    mutant_is_alive(number) ? min(a, b) : max(a, b)
}

/// Without its last element when the mutant is alive.
@inlinable
@inline(__always)
public func _upTo<T: Strideable>(_ number: Int32, _ a: T, _ b: T) -> Range<T> where T.Stride: SignedInteger {
    mutant_is_alive(number) && a < b ? a..<b.advanced(by: -1) : a..<b
}

/// Without its last element when the mutant is alive.
@inlinable
@inline(__always)
public func _through<T: Strideable>(_ number: Int32, _ a: T, _ b: T) -> ClosedRange<T> where T.Stride: SignedInteger {
    mutant_is_alive(number) && a < b ? a...b.advanced(by: -1) : a...b
}

// MARK: Borders of comparisons: two kinds of integers, and tuples

/// `a < b`, or `a <= b`.
@inlinable
@inline(__always)
@_disfavoredOverload
public func _less<A: BinaryInteger, B: BinaryInteger>(_ number: Int32, _ a: A, _ b: B) -> Bool {
    mutant_is_alive(number) ? a <= b : a < b
}

/// `a <= b`, or `a < b`.
@inlinable
@inline(__always)
@_disfavoredOverload
public func _lessOrEqual<A: BinaryInteger, B: BinaryInteger>(_ number: Int32, _ a: A, _ b: B) -> Bool {
    mutant_is_alive(number) ? a < b : a <= b
}

/// `a > b`, or `a >= b`.
@inlinable
@inline(__always)
@_disfavoredOverload
public func _greater<A: BinaryInteger, B: BinaryInteger>(_ number: Int32, _ a: A, _ b: B) -> Bool {
    mutant_is_alive(number) ? a >= b : a > b
}

/// `a >= b`, or `a > b`.
@inlinable
@inline(__always)
@_disfavoredOverload
public func _greaterOrEqual<A: BinaryInteger, B: BinaryInteger>(_ number: Int32, _ a: A, _ b: B) -> Bool {
    mutant_is_alive(number) ? a > b : a >= b
}

/// `a < b`, or `a <= b`.
@inlinable
@inline(__always)
public func _less<A: Comparable, B: Comparable>(_ number: Int32, _ a: (A, B), _ b: (A, B)) -> Bool {
    mutant_is_alive(number) ? a <= b : a < b
}

/// `a < b`, or `a <= b`.
@inlinable
@inline(__always)
public func _less<A: Comparable, B: Comparable, C: Comparable>(
    _ number: Int32, _ a: (A, B, C), _ b: (A, B, C)
) -> Bool {
    mutant_is_alive(number) ? a <= b : a < b
}

// MARK: Signs

/// `a + b`, or `a - b`.
@inlinable
@inline(__always)
public func _plus<T: AdditiveArithmetic>(_ number: Int32, _ a: T, _ b: T) -> T {
    mutant_is_alive(number) ? a - b : a + b
}

/// `a - b`, or `a + b`.
@inlinable
@inline(__always)
public func _minus<T: AdditiveArithmetic>(_ number: Int32, _ a: T, _ b: T) -> T {
    mutant_is_alive(number) ? a + b : a - b
}

/// `a &+ b`, or `a &- b`.
@inlinable
@inline(__always)
public func _wrappingPlus<T: FixedWidthInteger>(_ number: Int32, _ a: T, _ b: T) -> T {
    mutant_is_alive(number) ? a &- b : a &+ b
}

/// `a &- b`, or `a &+ b`.
@inlinable
@inline(__always)
public func _wrappingMinus<T: FixedWidthInteger>(_ number: Int32, _ a: T, _ b: T) -> T {
    mutant_is_alive(number) ? a &+ b : a &- b
}

/// `a * b`, or `a + b`.
@inlinable
@inline(__always)
public func _times<T: Numeric>(_ number: Int32, _ a: T, _ b: T) -> T {
    mutant_is_alive(number) ? a + b : a * b
}

/// `a / b`, or `a * b`.
@inlinable
@inline(__always)
public func _divided<T: BinaryInteger>(_ number: Int32, _ a: T, _ b: T) -> T {
    mutant_is_alive(number) ? a * b : a / b
}

/// `a % b`, or `a / b`.
@inlinable
@inline(__always)
public func _remainder<T: BinaryInteger>(_ number: Int32, _ a: T, _ b: T) -> T {
    mutant_is_alive(number) ? a / b : a % b
}

/// `a += b`, or `a -= b`.
@inlinable
@inline(__always)
public func _add<T: AdditiveArithmetic>(_ number: Int32, _ a: inout T, _ b: T) {
    if mutant_is_alive(number) { a -= b } else { a += b }
}

/// `a -= b`, or `a += b`.
@inlinable
@inline(__always)
public func _subtract<T: AdditiveArithmetic>(_ number: Int32, _ a: inout T, _ b: T) {
    if mutant_is_alive(number) { a += b } else { a -= b }
}

/// `-a`, or `a`.
@inlinable
@inline(__always)
public func _negative<T: SignedNumeric>(_ number: Int32, _ value: T) -> T {
    mutant_is_alive(number) ? value : -value
}

// MARK: Constants

/// One more when the mutant is alive.
@inlinable
@inline(__always)
public func _constant<T: Numeric>(_ number: Int32, _ value: T) -> T {
    mutant_is_alive(number) ? value + 1 : value
}
