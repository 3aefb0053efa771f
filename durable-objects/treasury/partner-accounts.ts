import { retried } from '../../src/calls/call.ts'
import { daybook, partnerLimit } from '../../src/calls/objects.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { PartnerAccount } from '../../src/money/bankroll.ts'
import { perToken, type PerToken } from '../../src/money/token.ts'

/**
 * Returns the accounts of all partners in the configuration or in the books. A partner's limit knows each credit, and
 * no more debits than there were, so no balance is too high.
 * @throws if the books or a limit don't answer
 */
export async function partnerAccounts(env: Env): Promise<PerToken<PartnerAccount[]>> {
  const { partners } = loadConfig(env)
  const { books } = await retried(async () => daybook(env).partners())
  const ids = [...new Set([...partners.keys(), ...Object.keys(books)])]
  const accounts = await Promise.all(
    ids.map(async (id) => {
      const totals = await retried(async () => partnerLimit(env, id).totals())
      return perToken((token): PartnerAccount => {
        const { creditedWei, debitedWei } = totals[token]
        const settledWei = partners.get(id)?.settled[token] ?? 0n
        return { balanceWei: debitedWei - creditedWei, settledWei }
      })
    }),
  )
  return perToken((token) => accounts.map((account) => account[token]))
}
