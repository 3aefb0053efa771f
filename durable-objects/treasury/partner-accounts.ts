import { loadConfig } from '../../src/config/load.ts'
import type { PartnerAccount } from '../../src/money/bankroll.ts'
import { perToken, type PerToken } from '../../src/money/token.ts'
import { daybook, partnerLimit, retried } from '../../src/objects.ts'

/**
 * Returns the accounts of all partners in the configuration or in the books. The newest days are not in the books yet. Of
 * these a partner's limit knows each credit, and no more debits than there were, so no balance is too high.
 * @throws if the books or a limit don't answer
 */
export async function partnerAccounts(env: Env): Promise<PerToken<PartnerAccount[]>> {
  const { partners } = loadConfig(env)
  const { next, books } = await retried(async () => daybook(env).closedPartners())
  const ids = [...new Set([...partners.keys(), ...Object.keys(books)])]
  const accounts = await Promise.all(
    ids.map(async (id) => {
      const newest = await retried(async () => partnerLimit(env, id).since(next))
      return perToken((token): PartnerAccount => {
        const { wagered, returned } = books[id]?.[token] ?? { wagered: 0n, returned: 0n }
        const { debitedWei, creditedWei } = newest[token]
        return {
          balanceWei: wagered - returned + debitedWei - creditedWei,
          settledWei: partners.get(id)?.settled[token] ?? 0n,
        }
      })
    }),
  )
  return perToken((token) => accounts.map((account) => account[token]))
}
