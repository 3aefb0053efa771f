import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../../src/ledger/journal.ts'
import { rollbackText, transactionText, type TransferResult } from '../../../src/ledger/transfer.ts'
import { balanceBody, statementBody, transferBody } from '../../../src/wallet-bridge/answers.ts'
import { statementEntry } from '../../../src/wallet-bridge/statement.ts'

const DEBIT: TransferResult = {
  ok: true,
  version: 1,
  id: 'a "quoted" id',
  token: 'ETH',
  beforeWei: '1000000000000000001',
  afterWei: '1',
}
const CREDIT: TransferResult = {
  ok: true,
  version: 1,
  id: 'undo-1',
  token: 'USDG',
  beforeWei: '0',
  afterWei: '2500000',
}

/** The answers of version 1. A repetition years later returns the same text. */
const DEBIT_TEXT =
  '{"partnerTransactionId":"a \\"quoted\\" id","balance":0.000000000000000001,"balanceBefore":1.000000000000000001,"balanceWei":"1","balanceBeforeWei":"1000000000000000001"}'
const CREDIT_TEXT =
  '{"partnerTransactionId":"undo-1","balance":2.5,"balanceBefore":0,"balanceWei":"2500000","balanceBeforeWei":"0"}'

describe('the answer to a transaction', () => {
  it.each([
    [DEBIT, DEBIT_TEXT],
    [CREDIT, CREDIT_TEXT],
  ])('is written from its facts, always identically', (transferred, text) => {
    expect(transferBody(transferred)).toBe(text)
    const stored = JSON.parse(JSON.stringify(transferred)) as TransferResult
    expect(transferBody(stored)).toBe(text)
  })

  it('is not guessed if a later deployment wrote the facts', () => {
    const later = { ...DEBIT, version: 2 } as unknown as TransferResult
    expect(() => transferBody(later)).toThrow('version 2')
  })
})

it('the answer to a balance is exact', () => {
  expect(balanceBody('ETH', 1n)).toBe('{"balance":0.000000000000000001,"balanceWei":"1"}')
})

describe('a statement', () => {
  const entryOf = (seq: number, request: string, result: object): JournalEntry => ({
    seq,
    request,
    operationId: `bridge:acme:${seq}`,
    result: JSON.stringify(result),
    postings: [],
    at: 1_000 + seq,
    headDigest: '',
    previousHash: '',
    hash: '',
  })
  const debit = entryOf(3, transactionText({ token: 'ETH', amountWei: -(10n ** 18n) }), DEBIT)
  const undo = entryOf(4, rollbackText({ token: 'USDG', originalId: 'one' }), CREDIT)

  it('lists what was carried out, with the amounts moved', () => {
    const found = statementEntry(debit, { partner: 'acme', token: 'ETH' })
    expect(statementBody({ entries: found ? [found] : [], next: null })).toBe(
      `{"entries":[${DEBIT_TEXT.replace(/}$/, '')},"type":"transaction","amount":-1,"amountWei":"-1000000000000000000","at":1003,"cursor":3}],"next":null}`,
    )
  })

  it('names the transaction that a rollback reverses', () => {
    const found = statementEntry(undo, { partner: 'acme', token: 'USDG' })
    expect(statementBody({ entries: found ? [found] : [], next: 4 })).toBe(
      `{"entries":[${CREDIT_TEXT.replace(/}$/, '')},"type":"rollback","originalTransactionId":"one","amount":2.5,"amountWei":"2500000","at":1004,"cursor":4}],"next":4}`,
    )
  })

  it.each([
    ['another partner', debit, { partner: 'other', token: 'ETH' as const }],
    ['another token', debit, { partner: 'acme', token: 'USDG' as const }],
    [
      'what was refused',
      entryOf(5, debit.request, { ok: false, error: { code: 'closed', message: '' } }),
      { partner: 'acme', token: 'ETH' as const },
    ],
  ])('does not list %s', (_, entry, query) => {
    expect(statementEntry(entry, query)).toBeNull()
  })
})
