import { describe, expect, it, vi } from 'vitest'
import type { SolvencyProof, Statement } from '../../../src/solvency/statement.ts'
import { memberAt, publish } from '../solvency/trees.ts'

vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} })
const { judgeCount } = await import('../../../src/play/cashier/count.ts')

const { statement, proofAt } = publish([memberAt(0), memberAt(1, 500n)])
const { wallet } = memberAt(1)
const proof = proofAt(1)

describe('the cashier', () => {
  it('says that the chips are in the sum, with what was counted', () => {
    expect(judgeCount(statement, { wallet, proof }, proof.walletSalt)).toEqual({
      ...{ kind: 'proven', at: statement.at },
      owed: { ETH: '500', USDG: '7' },
      blockNumber: 9,
    })
  })

  it('says that the chips will be in the next count', () => {
    expect(judgeCount(statement, { wallet, proof: null })).toEqual({ kind: 'absent' })
  })

  it.each<[string, Statement, SolvencyProof, string?]>([
    ["another player's proof", statement, proofAt(0)],
    ['a sum that leaves something out', { ...statement, owed: { ETH: '0', USDG: '7' } }, proof],
    ['a secret that has changed', statement, proof, 'ab'.repeat(32)],
  ])('says which check failed for %s', (_case, said, proven, walletSalt) => {
    const counted = judgeCount(said, { wallet, proof: proven }, walletSalt)
    expect(counted.kind === 'broken' && counted.claims.length).toBeGreaterThan(0)
  })
})
