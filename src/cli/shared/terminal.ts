import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { parseArgs, styleText, type ParseArgsConfig } from 'node:util'
import { isHex, size, type Hex } from 'viem'
import { messageOf } from '../../core/fault.ts'
import { printable } from '../../core/printable.ts'
import type { Check } from '../../fairness/check.ts'

/** A failure that the person at the terminal can do something about. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** A wrong use of a command. The usage is printed first, so that the terminal ends with the problem. */
export class UsageError extends CommandError {
  override name = 'UsageError'
  readonly usage: string

  constructor(message: string, usage: string) {
    super(message)
    this.usage = usage
  }
}

/**
 * Runs a command and sets its exit code. Prints only the message of a {@link CommandError}. Ends quietly once nobody
 * reads its output, as after `| head`.
 */
export async function runCommand(main: () => Promise<number>): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.once('error', endUnread)
  try {
    process.exitCode = await main()
  } catch (fault) {
    const { message, stack = message } =
      fault instanceof Error ? fault : { message: String(fault), stack: undefined }
    const text = fault instanceof CommandError ? message : stack
    if (fault instanceof UsageError) console.error(`${fault.usage}\n`)
    for (const line of text.split('\n')) warn(line, 'red')
    process.exitCode = 1
  }
}

/** Ends the process with the command's exit code or, if it has none yet, with 1: its checks are not decided. */
function endUnread(fault: NodeJS.ErrnoException): void {
  if (fault.code !== 'EPIPE') throw fault
  process.exit(process.exitCode ?? 1)
}

/**
 * Parses arguments with node:util's parseArgs. Shows the usage for `--help`, or for `help` alone.
 * @param brief the part of the usage to show for invalid options, if the whole would fill the screen
 */
export function readArgs<T extends ParseArgsConfig>(usage: string, config: T, brief = usage) {
  const given = process.argv.slice(2)
  const isAsked = given.some((arg) => arg === '--help' || arg === '-h') || given.join() === 'help'
  if (isAsked) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (fault) {
    throw new UsageError(messageOf(fault), brief)
  }
}

/** Reads a whole number from an option. */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN
  if (number >= min && number <= max) return number
  throw new CommandError(`${name} must be a whole number from ${min} to ${max}.`)
}

/** Whether an option is 0x and 64 hex digits: a private key or a hash. */
export function is32Bytes(text: string | undefined): text is Hex {
  return isHex(text) && size(text) === 32
}

/** Asks a question. Returns whether the answer is yes; the end of the input counts as a no. */
export async function isConfirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const ended = once(terminal, 'close').then(() => '')
  try {
    const answer = await Promise.race([terminal.question(`${question} (yes/no) `), ended])
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}

/** Returns an answer with all its texts escaped, because it must not control the terminal that shows it. */
export function printableIn<T>(answer: T): T {
  return escaped(answer) as T
}

function escaped(value: unknown): unknown {
  if (typeof value === 'string') return printable(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(escaped)
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [printable(name), escaped(field)]),
  )
}

type Style = Parameters<typeof styleText>[0]

/**
 * Prints a line. Most texts that a tool shows come from the house, which must not control the terminal or add lines of
 * its own, such as a forged verdict: characters that aren't printable are escaped.
 */
export function say(line = '', style: Style = []): void {
  console.log(styleText(style, printable(line)))
}

/** Prints a line like {@link say}, but to the standard error. */
export function warn(line: string, style: Style = 'yellow'): void {
  console.error(styleText(style, printable(line)))
}

/** Prints a check as a line with a tick or a cross. */
export function printCheck({ claim, holds }: Check): void {
  if (holds) console.log(`  ${styleText('green', '✓')} ${printable(claim)}`)
  else say(`  ✗ ${claim}`, 'red')
}

/**
 * Prints checks, and a verdict below them.
 * @returns whether every check passed
 */
export function printChecks(checks: Check[], passed: string, failed: string): boolean {
  checks.forEach(printCheck)
  const hold = checks.every(({ holds }) => holds)
  if (hold) say(passed, 'green')
  else say(failed, 'red')
  return hold
}

/** How often to print a live line if the output isn't a terminal. */
const PLAIN_LINE_MS = 1_000

/** A line rewritten in place or, if the output isn't a terminal, printed once a second. */
export class LiveLine {
  #shown = ''
  #shownAt = 0

  show(text: string): void {
    if (text === this.#shown) return
    if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K  ${printable(text)}`)
    else if (Date.now() - this.#shownAt < PLAIN_LINE_MS) return
    else say(`  ${text}`)
    this.#shown = text
    this.#shownAt = Date.now()
  }

  /** Replaces the live line with a permanent one. */
  print(text: string): void {
    if (process.stdout.isTTY) process.stdout.write('\r\x1b[K')
    say(`  ${text}`)
    this.#shown = ''
  }
}
