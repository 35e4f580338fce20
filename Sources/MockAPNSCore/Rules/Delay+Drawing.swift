extension Step.Delay {
    /// The longest delay ever drawn, in milliseconds: one year.
    static let longest: Int64 = 365 * 86_400_000

    /// Draws a delay in milliseconds. Each distribution uses one random number.
    func draw(_ random: inout SeededRandom) -> Int64 {
        switch self {
        case .fixed(let duration): return max(0, duration)
        case .uniform(let least, let most):
            guard least < most else { return max(0, least) }
            return least + Int64(random.unitInterval() * Double(most - least + 1))
        case .lognormal(let median, let p99):
            let quantile = Normal.quantile(random.unitInterval())
            let spread = Logarithm.natural(Double(max(p99, 1)) / Double(max(median, 1))) / Normal.quantileOf99
            let drawn = Double(median) * Logarithm.power(quantile * spread)
            return Int64(min(drawn + 0.5, Double(Self.longest)))
        }
    }
}

/// The standard normal distribution.
enum Normal {
    /// The 99th percentile.
    static let quantileOf99 = 2.326_347_874_040_841

    /// Returns the quantile for a probability, using P. J. Acklam's approximation with a relative error below 1.15e-9.
    static func quantile(_ share: Double) -> Double {
        let share = min(max(share, 0x1p-54), 1 - 0x1p-53)
        if share < 0.02425 {
            return tail(Logarithm.squareRoot(-2 * Logarithm.natural(share)))
        }
        if share > 1 - 0.02425 {
            return -tail(Logarithm.squareRoot(-2 * Logarithm.natural(1 - share)))
        }
        let q = share - 0.5
        let r = q * q
        let over = polynomial(
            r, -3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02, 1.383577518672690e+02,
            -3.066479806614716e+01, 2.506628277459239e+00)
        let under = polynomial(
            r, -5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
            -1.328068155288572e+01, 1)
        return over * q / under
    }

    private static func tail(_ q: Double) -> Double {
        polynomial(
            q, -7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00, -2.549732539343734e+00,
            4.374664141464968e+00, 2.938163982698783e+00)
            / polynomial(
                q, 7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00, 1)
    }

    private static func polynomial(_ x: Double, _ coefficients: Double...) -> Double {
        coefficients.reduce(0) { $0 * x + $1 }
    }
}

/// The natural logarithm and its inverse, using only the four basic operations. The C library's functions differ
/// between platforms in the last digit, and a run has to be repeatable anywhere; besides, nothing else here needs that
/// library.
enum Logarithm {
    private static let ofTwo = 0.693_147_180_559_945_3

    /// Returns the logarithm of a normal number above 0.
    static func natural(_ x: Double) -> Double {
        // x = m * 2^e with m from 0.7 to 1.4, then 2 * artanh((m - 1) / (m + 1)).
        var m = Double(bitPattern: x.bitPattern & 0x000F_FFFF_FFFF_FFFF | 0x3FF0_0000_0000_0000)
        var e = Double(Int(x.bitPattern >> 52) - 1023)
        if m > 1.414_213_562_373_095 {
            m /= 2
            e += 1
        }
        let z = (m - 1) / (m + 1)
        let square = z * z
        var term = z
        var sum = 0.0
        for step in 0...16 {
            sum += term / Double(2 * step + 1)
            term *= square
        }
        return e * ofTwo + 2 * sum
    }

    /// Returns e to the power of a number; infinity above 700 and 0 below -700.
    static func power(_ x: Double) -> Double {
        if x > 700 { return .infinity }
        if x < -700 { return 0 }
        let e = Int(x / ofTwo)
        let rest = x - Double(e) * ofTwo
        var term = 1.0
        var sum = 1.0
        for divisor in 1...24 {
            term *= rest / Double(divisor)
            sum += term
        }
        return sum * Double(bitPattern: UInt64(e + 1023) << 52)
    }

    /// Returns the square root of a number above 0.
    static func squareRoot(_ x: Double) -> Double {
        // One step of Newton's method restores the precision lost by the logarithm.
        let root = power(natural(x) / 2)
        return (root + x / root) / 2
    }
}
