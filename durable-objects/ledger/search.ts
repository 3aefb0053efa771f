/** The numbers that one look reads: two looks find one among the entries of a segment. */
export const SPREAD = 128

/** Returns the first number that passes a test, or `high`. Every number after one that passes does too. */
export function bisect(low: number, high: number, passes: (number: number) => boolean): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (passes(middle)) to = middle
    else from = middle + 1
  }
  return from
}

/** Does the same in looks that read many numbers at once: each look is a query, and its rows cost little. */
export function spreadSearch<Read>(
  low: number,
  high: number,
  readAll: (numbers: readonly number[]) => readonly Read[],
  passes: (read: Read) => boolean,
): number {
  let [from, to] = [low, high]
  while (from < to) {
    const step = Math.ceil((to - from) / SPREAD)
    const numbers: number[] = []
    for (let number = from + step - 1; number < to; number += step) numbers.push(number)
    const read = readAll(numbers)
    const first = bisect(0, numbers.length, (index) => passes(read[index] as Read))
    from = first === 0 ? from : (numbers[first - 1] ?? 0) + 1
    to = numbers[first] ?? to
  }
  return to
}
