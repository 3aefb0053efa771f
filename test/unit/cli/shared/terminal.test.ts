import { readdirSync, readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  CommandError,
  isConfirmed,
  LiveLine,
  printChecks,
  printableIn,
  readArgs,
  runCommand,
  say,
  UsageError,
  wholeNumber,
} from '../../../../src/cli/shared/terminal.ts'

afterEach(() => vi.restoreAllMocks())

describe('a question', () => {
  it.each([
    ['yes\n', true],
    ['Y\n', true],
    ['no\n', false],
    ['yes, but\n', false],
    ['\n', false],
    ['', false],
  ])('that is answered by %j is confirmed: %s', async (answer, isYes) => {
    const output = new PassThrough()
    const input = new PassThrough()
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as never)
    vi.spyOn(process, 'stdout', 'get').mockReturnValue(output as never)
    input.end(answer)
    expect(await isConfirmed('Sign?')).toBe(isYes)
    expect(String(output.read())).toContain('Sign? (yes/no) ')
  })
})

it('an answer is printable in all of its texts and names', () => {
  const answer = { list: ['a\nb', 1, null], 'na\rme': { flag: true } }
  expect(printableIn(answer)).toEqual({
    list: [String.raw`a\u{a}b`, 1, null],
    [String.raw`na\u{d}me`]: { flag: true },
  })
})

describe('a text of the house', () => {
  // Clears the screen, and writes a verdict in green.
  const forged = '\u{1b}[2J\u{1b}[32mVerified: the result is correct.\nVerified'
  const escaped = String.raw`\u{1b}[2J\u{1b}[32mVerified: the result is correct.\u{a}Verified`

  /** Returns what is printed, without the colours of our own. */
  function printed(stream: 'log' | 'error', print: () => void): string[] {
    const lines = vi
      .spyOn(console, stream)
      .mockClear()
      .mockImplementation(() => {})
    print()
    return lines.mock.calls.map(([line]) => stripVTControlCharacters(String(line)))
  }

  it('can neither control the terminal nor add a line', () => {
    expect(printed('log', () => say(`won ${forged}`, 'bold'))).toEqual([`won ${escaped}`])
    expect(printed('log', () => new LiveLine().print(forged))).toEqual([`  ${escaped}`])
    const checks = [true, false].map((holds) => ({ claim: forged, holds }))
    expect(printed('log', () => printChecks(checks, 'Passed.', 'Failed.'))).toEqual([
      `  ✓ ${escaped}`,
      `  ✗ ${escaped}`,
      'Failed.',
    ])
  })

  it('can control no terminal in an error either, which keeps its line feeds', async () => {
    const lines = vi.spyOn(console, 'error').mockImplementation(() => {})
    await runCommand(() => Promise.reject(new CommandError(forged)))
    expect(process.exitCode).toBe(1)
    process.exitCode = undefined
    const [first, second] = lines.mock.calls.map(([line]) => stripVTControlCharacters(String(line)))
    expect([first, second]).toEqual(escaped.split(String.raw`\u{a}`))
  })

  const SRC = new URL('../../../../src/cli/', import.meta.url)
  const tools = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^(audit|monitor|play|verify)\b.*\.ts$/.test(path),
  )

  it.each(tools)('is printed only through these helpers (%s)', (path) => {
    const text = readFileSync(new URL(path, SRC), 'utf8')
    const isDrawing = path === 'play/entropy-view.ts'
    expect(/console\.|process\.std(out|err)\.write/.test(text)).toBe(isDrawing)
  })
})

describe('a command that is used wrongly', () => {
  const { argv } = process
  afterEach(() => {
    process.argv = argv
  })

  it('prints its usage and, last, what is wrong', async () => {
    const lines = vi.spyOn(console, 'error').mockImplementation(() => {})
    await runCommand(() => Promise.reject(new UsageError('--rpc is missing.', 'Usage: …')))
    process.exitCode = undefined
    const printed = lines.mock.calls.map(([line]) => stripVTControlCharacters(String(line)))
    expect(printed).toEqual(['Usage: …\n', '--rpc is missing.'])
  })

  it('explains an unknown option with the brief usage, if it has one', () => {
    process.argv = ['node', 'tool', '--wrong']
    const fault = caught(() => readArgs('Usage: all of it', { options: {} }, 'Usage: in brief'))
    expect(fault).toMatchObject({ name: 'UsageError', usage: 'Usage: in brief' })
    expect(String(fault)).toContain("Unknown option '--wrong'")
  })

  it.each([['--help'], ['freeze', '-h'], ['help']])('shows its usage if asked: %j', (...args) => {
    process.argv = ['node', 'tool', ...args]
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Error(`exit ${code}`)
    })
    expect(String(caught(() => readArgs('Usage: …', { options: {} })))).toContain('exit 0')
    expect(lines.mock.calls).toEqual([['Usage: …']])
  })

  function caught(act: () => unknown): unknown {
    try {
      return act()
    } catch (fault) {
      return fault
    }
  }
})

describe('a command whose output nobody reads any more', () => {
  /** Returns the exit code after a fault of the output, which a command with the exit code meets. */
  async function endedWith(code: string, exitCode: number | undefined): Promise<unknown> {
    const output = new PassThrough()
    vi.spyOn(process, 'stdout', 'get').mockReturnValue(output as never)
    const exit = vi
      .spyOn(process, 'exit')
      .mockClear()
      .mockReturnValue(undefined as never)
    await runCommand(async () => 0)
    process.exitCode = exitCode
    try {
      output.emit('error', Object.assign(new Error(`write ${code}`), { code }))
      return exit.mock.calls[0]?.[0]
    } finally {
      process.exitCode = undefined
    }
  }

  it('ends quietly, and with 1 unless it has finished its checks', async () => {
    expect(await endedWith('EPIPE', undefined)).toBe(1)
    expect(await endedWith('EPIPE', 0)).toBe(0)
  })

  it('does not hide other faults', async () => {
    await expect(endedWith('EIO', 0)).rejects.toThrow('write EIO')
  })
})

describe('a whole number', () => {
  it('is read within its range', () => {
    expect([wholeNumber('--kills', '1', 1, 9), wholeNumber('--kills', '9', 1, 9)]).toEqual([1, 9])
  })

  it.each(['0', '10', '1.5', '1e0', '0x1', ' 1', '', '-1'])('of "%s" is refused', (text) => {
    expect(() => wholeNumber('--kills', text, 1, 9)).toThrow(
      '--kills must be a whole number from 1 to 9.',
    )
  })
})
