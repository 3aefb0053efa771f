import type { Solvent } from '../../../durable-objects/solvency.ts'
import { max } from '../../../src/core/bigint.ts'
import { isRefusal, type Refusal } from '../../../src/core/refusal.ts'
import { HOUSE } from '../../../src/ledger/accounts.ts'
import { perToken, TOKENS } from '../../../src/money/token.ts'
import type { Statement } from '../../../src/solvency/statement.ts'
import { verifySolvency } from '../../../src/verify/solvency.ts'
import type { World } from '../world/world.ts'
import type { Ask, SoundAudit } from './ledgers.ts'

/** A count of all debts, made now, owes each player what the ledger does, and proves it to the player. */
export async function checkSolvency(
  world: World,
  audits: ReadonlyMap<string, SoundAudit>,
  ask: Ask,
): Promise<void> {
  const place = world.objects.find('Solvency', 'main')
  const published = place && ((await ask(place, 'publish')) as Statement | Refusal)
  if (!published || isRefusal(published)) {
    world.violate(`the debts are not counted: ${published?.error.message ?? 'nobody does'}`)
    return
  }
  const total = perToken(() => 0n)
  for (const [wallet, { balances }] of audits) {
    if (wallet === HOUSE) continue
    const owed = perToken((token) => max(0n, owedBy(balances[token])))
    for (const token of TOKENS) total[token] += owed[token]
    const { statement, proof } = (await ask(place, 'read', [wallet])) as Solvent
    const failing = verifySolvency(statement, { wallet, proof }).filter(({ holds }) => !holds)
    for (const { claim } of failing)
      world.violate(`the count for ${wallet}: not true that ${claim}`)
    for (const token of TOKENS) {
      const counted = proof?.leaf.owed[token] ?? '0'
      if (counted !== owed[token].toString())
        world.violate(`the count owes ${wallet} ${counted} ${token}, and its ledger ${owed[token]}`)
    }
  }
  for (const token of TOKENS) {
    const counted = published.owed[token]
    if (counted !== total[token].toString())
      world.violate(`the count owes ${counted} ${token} in all, and the ledgers ${total[token]}`)
  }
}

/** As the ledgers' own sum, but from the names of the accounts. */
function owedBy(accounts: Record<string, string>): bigint {
  return ['chips', 'in_play', 'withdrawing', 'quarantine'].reduce(
    (sum, account) => sum + BigInt(accounts[account] ?? 0),
    0n,
  )
}
