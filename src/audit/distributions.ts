/**
 * Probabilities of the audit's tests, in floating point. Sources: NIST Digital Library of Mathematical Functions
 * (https://dlmf.nist.gov), 8.9 and 8.11 for the incomplete gamma function, 8.17 for the incomplete beta function.
 */

const PRECISION = 1e-14
const MAX_TERMS = 100_000
const TINY = 1e-300

/** Lanczos' approximation (g = 7, n = 9), with a relative error below 10^-14. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
]

/** Returns ln Γ(x) for x > 0. */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x)
  const z = x - 1
  const base = z + 7.5
  const sum = LANCZOS.reduce((total, term, index) => total + (index ? term / (z + index) : term), 0)
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(base) - base + Math.log(sum)
}

/** Returns the probability that a χ² variable exceeds a value. */
export function chiSquaredAbove(value: number, degrees: number): number {
  return value <= 0 ? 1 : gammaAbove(degrees / 2, value / 2)
}

/** Returns Q(a, x), by a series below a + 1 and a continued fraction above. */
function gammaAbove(a: number, x: number): number {
  const front = Math.exp(a * Math.log(x) - x - logGamma(a))
  if (x < a + 1) {
    let [term, sum] = [1 / a, 1 / a]
    for (let n = 1; n < MAX_TERMS && term > sum * PRECISION; n++) {
      term *= x / (a + n)
      sum += term
    }
    return Math.max(0, 1 - front * sum)
  }
  return (
    front *
    continued(
      (n) => n * (a - n),
      (n) => x - a + 1 + 2 * n,
    )
  )
}

/** Returns 1 / (b0 + a1 / (b1 + a2 / (b2 + …))), by Lentz's method. */
function continued(a: (n: number) => number, b: (n: number) => number): number {
  const first = b(0) || TINY
  let [value, c, d] = [1 / first, 1 / TINY, 1 / first]
  for (let n = 1; n < MAX_TERMS; n++) {
    d = 1 / (b(n) + a(n) * d || TINY)
    c = b(n) + a(n) / c || TINY
    const factor = c * d
    value *= factor
    if (Math.abs(factor - 1) < PRECISION) break
  }
  return value
}

/** Returns the regularised incomplete beta function I_x(a, b). */
export function betaBelow(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  // The fraction converges fast below the mean; above it, the other tail's does.
  if (x > (a + 1) / (a + b + 2)) return 1 - betaBelow(1 - x, b, a)
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x),
  )
  const term = (n: number) => {
    const m = Math.floor(n / 2)
    return n % 2 === 0
      ? (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
      : (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
  }
  return (front * continued(term, () => 1)) / a
}

/** Returns the probability of at most k successes in n trials. */
export function binomialAtMost(k: number, n: number, p: number): number {
  return k < 0 ? 0 : k >= n ? 1 : betaBelow(1 - p, n - k, k + 1)
}

/** Returns the two-sided p-value of a binomial count: twice the smaller tail. */
export function binomialTest(k: number, n: number, p: number): number {
  const below = binomialAtMost(k, n, p)
  const above = k === 0 ? 1 : betaBelow(p, k, n - k + 1)
  return Math.min(1, 2 * Math.min(below, above))
}

/** Returns Clopper's and Pearson's interval for a probability. It contains it with at least 1 − level. */
export function clopperPearson(k: number, n: number, level: number): [low: number, high: number] {
  const low = k === 0 ? 0 : solve((p) => betaBelow(p, k, n - k + 1) - level / 2)
  const high = k === n ? 1 : solve((p) => betaBelow(p, k + 1, n - k) - (1 - level / 2))
  return [low, high]
}

/** Returns the probability that a normal variable exceeds a number of standard deviations. */
export function normalAbove(z: number): number {
  const tail = gammaAbove(0.5, (z * z) / 2) / 2
  return z < 0 ? 1 - tail : tail
}

/** Returns the number of standard deviations that a normal variable exceeds with a probability below 1/2. */
export function normalQuantile(above: number): number {
  return 40 * solve((part) => above - normalAbove(40 * part))
}

/** Returns the value that a χ² variable exceeds with a probability. */
export function chiSquaredQuantile(above: number, degrees: number): number {
  const most = 10 * degrees + 1_000
  return most * solve((part) => above - chiSquaredAbove(most * part, degrees))
}

/** Returns where an increasing function of 0 to 1 crosses zero. */
function solve(f: (x: number) => number): number {
  let [low, high] = [0, 1]
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2
    if (f(middle) < 0) low = middle
    else high = middle
  }
  return (low + high) / 2
}
