import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { packHead } from '../../src/ledger/head.ts'
import { digestOf, entryHash, linked } from '../../src/ledger/journal.ts'
import { emptyTotals } from '../../src/ledger/totals.ts'
import { entriesOf, headOf } from './journals.ts'
import { fundedPlayer, openRound, setTime, useStories, Player } from './support.ts'

useStories()

const ledgerOf = (player: Player) => ledger(env, player.wallet)

/** Replaces a ledger's last head, and hashes the entry anew. */
async function forgeHead(player: Player, head: Uint8Array): Promise<void> {
  const entries = await entriesOf(ledgerOf(player))
  const last = [...linked(entries, '0'.repeat(64))].at(-1)!
  const hash = entryHash({ ...last, headDigest: digestOf(head) })
  await runInDurableObject(ledgerOf(player), (_: unknown, { storage }: DurableObjectState) => {
    storage.sql.exec(
      'UPDATE journal_1 SET head = ?, hash = ? WHERE seq = ?',
      head,
      Uint8Array.from(Buffer.from(hash, 'hex')),
      last.seq,
    )
  })
}

describe("a wallet's totals", () => {
  it('are in the head of its ledger: deposits, and bets and plays that have ended', async () => {
    const alice = await new Player(0).fund('5000000')
    const plan = await openRound({ min: 300, max: 600 })
    await alice.bet('1000000')
    expect((await headOf(ledgerOf(alice))).totals.USDG).toMatchObject({ wagered: 0n, bets: 0n })
    setTime(plan.flightAt + 2_000)
    const { body } = await alice.cashout()
    await alice.play()
    const { totals, balances } = await headOf(ledgerOf(alice))
    const { wagered, returned } = totals.USDG
    expect(totals.ETH).toEqual(emptyTotals().ETH)
    expect(totals.USDG).toMatchObject({ deposited: 5_000_000n, withdrawn: 0n, bets: 2n })
    expect(returned).toBeGreaterThanOrEqual(BigInt(body['payout'] as string))
    expect(returned - wagered).toBe(balances.USDG.chips - 5_000_000n)
  })

  it('are checked against the journal, even where the hash of a forged head fits', async () => {
    const alice = await fundedPlayer(0)
    await alice.play()
    const head = await headOf(ledgerOf(alice))
    await forgeHead(alice, packHead(head))
    expect(await ledgerOf(alice).verify()).toMatchObject({ ok: true })
    const { USDG } = head.totals
    const totals = { ...head.totals, USDG: { ...USDG, wagered: USDG.wagered + 1n } }
    await forgeHead(alice, packHead({ ...head, totals }))
    const problem = 'wagered of USDG is not what the journal says'
    expect(await ledgerOf(alice).verify()).toEqual({ ok: false, problem })
    await forgeHead(alice, packHead(head))
  })
})
