import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rolledBack, usedOtherwise } from '../../../src/ledger/transfer.ts'
import {
  checkClaim,
  checkOriginal,
  checkTokenUse,
  shardOf,
  type IdClaim,
} from '../../../src/wallet-bridge/ids.ts'
import { forAll } from '../support/for-all.ts'

const claim: IdClaim = {
  id: 'spin-1',
  kind: 'transaction',
  wallet: '0x1',
  token: 'USDG',
  request: '["transaction","USDG","-1"]',
}
const kept = { ...claim, isBuried: false as const }

describe('an id', () => {
  it('may be used for the first time, and again for the same transaction', () => {
    expect(checkClaim(null, claim)).toBeNull()
    expect(checkClaim(kept, claim)).toBeNull()
  })

  it.each([{ wallet: '0x2' }, { request: '["transaction","USDG","-2"]' }, { kind: 'rollback' }])(
    'may not be used with %o instead',
    (other) => {
      const refusal = checkClaim(kept, { ...claim, ...other } as IdClaim)
      expect(refusal?.error.code).toBe('idempotency_conflict')
    },
  )

  it('that is buried can no longer be a transaction or the id of a rollback', () => {
    const buried = { id: 'spin-1', isBuried: true as const }
    expect(checkClaim(buried, claim)?.error.code).toBe('transaction_rolled_back')
    const rollback = { ...claim, kind: 'rollback' as const }
    expect(checkClaim(buried, rollback)?.error.code).toBe('idempotency_conflict')
  })

  it('always maps to the same shard', () => {
    // Fixed values: if these change, every stored id is lost.
    expect(['spin-1', 'spin-2', '', 'a'.repeat(128)].map(shardOf)).toEqual([8, 40, 35, 40])
  })

  it('maps evenly to one of 64 shards', () => {
    const counts = Array.from({ length: 64 }, () => 0)
    for (let id = 0; id < 64_000; id++) counts[shardOf(`transaction ${id}`)]!++
    expect(Math.min(...counts)).toBeGreaterThan(800)
    expect(Math.max(...counts)).toBeLessThan(1_200)
    forAll(fc.string(), (id) => shardOf(id) >= 0 && shardOf(id) < 64)
  })
})

describe('a token', () => {
  const use = { jti: 'j', callHash: 'a', expiresAt: 0 }

  it('is valid for a single call, including its repetitions', () => {
    expect(checkTokenUse(null, use)).toBeNull()
    expect(checkTokenUse('a', use)).toBeNull()
    expect(checkTokenUse('b', use)?.error.code).toBe('token_replayed')
  })
})

describe('a rollback', () => {
  const rollback: IdClaim = { ...claim, id: 'undo-1', kind: 'rollback', request: '' }

  it('is for a transaction that never arrived, or one of the same player and currency', () => {
    expect(checkOriginal(null, rollback)).toBeNull()
    expect(checkOriginal(claim, rollback)).toBeNull()
  })

  it.each([{ wallet: '0x2' }, { token: 'ETH' }, { kind: 'rollback' }])(
    'is not for an original with %o',
    (other) => {
      const refusal = checkOriginal({ ...claim, ...other } as IdClaim, rollback)
      expect(refusal?.error.code).toBe('idempotency_conflict')
    },
  )
})

describe('permanently answered refusals', () => {
  // Fixed texts: partners compare answers byte for byte, even after a deployment.
  it('keep their wording', () => {
    expect(JSON.stringify([usedOtherwise('a'), rolledBack('a')])).toBe(
      '[{"ok":false,"error":{"code":"idempotency_conflict","message":"The id a was used with other ' +
        'contents or for another player. Use a new id."}},{"ok":false,"error":{"code":' +
        '"transaction_rolled_back","message":"The transaction a was rolled back before it arrived. ' +
        'Nothing has moved and nothing will."}}]',
    )
  })
})
