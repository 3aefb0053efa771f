import { readFile } from 'node:fs/promises'
import { CommandError } from '../shared/terminal.ts'

/** JSON text begins with `{"`, which is `eyJ` in base64url. */
const RECEIPT = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/

/**
 * Returns the texts of the receipts that arguments are or that files contain: one a line, an answer with a
 * receipt, or a JSON array of receipts or such answers. Null if the arguments are about something else.
 * @throws CommandError if only some of them are about receipts
 */
export async function receiptTexts(sources: readonly string[]): Promise<string[] | null> {
  const found = await Promise.all(sources.map(textsOf))
  if (found.every((texts) => texts.length === 0)) return null
  const other = sources.find((_, index) => found[index]?.length === 0)
  if (other === undefined) return [...new Set(found.flat())]
  throw new CommandError(`${other} has no receipt. Verify receipts and other sources separately.`)
}

async function textsOf(source: string): Promise<string[]> {
  if (RECEIPT.test(source)) return [source]
  if (/^https?:\/\//.test(source)) return []
  const text = await readFile(source, 'utf8').catch(() => '')
  const lines = text.split(/\s+/).filter((line) => line !== '')
  return lines.length > 0 && lines.every((line) => RECEIPT.test(line)) ? lines : inJson(text)
}

function inJson(text: string): string[] {
  try {
    const value = JSON.parse(text) as unknown
    return (Array.isArray(value) ? value : [value]).flatMap(inValue)
  } catch {
    return []
  }
}

function inValue(value: unknown): string[] {
  if (typeof value === 'string') return RECEIPT.test(value) ? [value] : []
  const receipt =
    typeof value === 'object' && value !== null && 'receipt' in value ? value.receipt : null
  return typeof receipt === 'string' ? [receipt] : []
}
