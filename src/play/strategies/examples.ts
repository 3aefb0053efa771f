/** A classic strategy as code, and its effect. */
export interface Example {
  name: string
  /** Its effect on the expectation: none. */
  truth: string
  text: string
}

/**
 * All of them lose the edge on everything they stake. They differ in the size of their stakes, and in how the losses
 * fall.
 */
export const EXAMPLES: readonly Example[] = [
  {
    name: 'Flat',
    truth: 'Stakes the least, so it loses the least.',
    text: `// The same stake every time.
(state, event) => ({ stake: event.base })`,
  },
  {
    name: 'Martingale',
    truth: 'Many small wins, and sometimes one loss that takes them all.',
    text: `// Doubles after a loss, and begins again after a win.
(state, event) => ({
  stake: event.kind === 'lost' ? event.stake * 2n : event.base,
})`,
  },
  {
    name: 'Paroli',
    truth: 'Many small losses, and sometimes one streak that returns most of them.',
    text: `// Doubles after a win, three times at most.
(state, event) => {
  const wins = event.kind === 'won' ? (state ?? 0) + 1 : 0
  return wins === 0 || wins === 3
    ? { stake: event.base, state: 0 }
    : { stake: event.stake * 2n, state: wins }
}`,
  },
  {
    name: 'D’Alembert',
    truth: 'Rises slower than martingale, and stakes more the longer it loses.',
    text: `// One unit more after a loss, one less after a win.
(state, event) => {
  if (event.kind === 'start') return { stake: event.base }
  const more = event.stake + event.base
  const less = event.stake - event.base
  if (event.kind === 'lost') return { stake: more }
  return { stake: less > event.base ? less : event.base }
}`,
  },
  {
    name: 'Fibonacci',
    truth: 'A slower martingale: a long streak of losses still grows without end.',
    text: `// One step along 1, 1, 2, 3, 5, 8 … after a loss, two back after a win.
(state, event) => {
  let step = state ?? 0
  if (event.kind === 'lost') step++
  if (event.kind === 'won') step = Math.max(0, step - 2)
  let [units, next] = [1n, 1n]
  for (let each = 0; each < step; each++) [units, next] = [next, units + next]
  return { stake: event.base * units, state: step }
}`,
  },
  {
    name: 'Labouchère',
    truth: 'Ends with a profit often, and with a large loss now and then.',
    text: `// Stakes the first and last number of a list. A win crosses them out, a loss adds their sum.
(state, event) => {
  let list = state ?? [1, 2, 3, 4]
  const units = (each) => each.at(0) + (each.length > 1 ? each.at(-1) : 0)
  if (event.kind === 'won') list = list.slice(1, -1)
  if (event.kind === 'lost') list = [...list, units(list)].slice(-100)
  if (list.length === 0) return { stop: true }
  return { stake: event.base * BigInt(units(list)), state: list }
}`,
  },
]
