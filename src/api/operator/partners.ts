import { retried } from '../../calls/call.ts'
import { control, daybook, partnerLimit } from '../../calls/objects.ts'
import type { PartnerConfig } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import type { PartnerTotals } from '../../daybook/report.ts'
import { perToken, TOKENS, type PerToken } from '../../money/token.ts'
import type { ModesVersion } from '../../operator/versions.ts'
import type { PartnerToken, ShownPartner, ShownPartners } from './answers.ts'

/** Returns the partners: their limits, today's movements, and the house's debts to them. */
export async function shownPartners(env: Env): Promise<ShownPartners> {
  const { partners } = loadConfig(env)
  const [{ day, books }, version] = await Promise.all([
    retried(async () => daybook(env).partners()),
    retried(async () => control(env).newestModes()),
  ])
  const shown = await Promise.all(
    [...partners.values()].map(async (partner) => {
      const today = await retried(async () => partnerLimit(env, partner.id).today())
      return { ...termsOf(partner, version), tokens: tokensOf(partner, today, books[partner.id]) }
    }),
  )
  const unlisted = Object.entries(books)
    .filter(([id, totals]) => !partners.has(id) && hasBalance(totals))
    .map(([id]) => id)
  return { ok: true, countedTo: day, partners: shown, unlisted }
}

function hasBalance(totals: PerToken<PartnerTotals>): boolean {
  return TOKENS.some((token) => totals[token].wagered !== totals[token].returned)
}

function termsOf(
  { id, keys, consent, requireBodyHash }: PartnerConfig,
  version: ModesVersion | null,
): Omit<ShownPartner, 'tokens'> {
  return {
    id,
    mode: version?.modes[`partner:${id}`] ?? 'open',
    keys: keys.length,
    consent,
    requireBodyHash,
  }
}

function tokensOf(
  { limits, debits, settled }: PartnerConfig,
  today: PerToken<{ creditedWei: string; debitedWei: string }>,
  books: PerToken<PartnerTotals> | undefined,
): PerToken<PartnerToken> {
  return perToken((token) => {
    const { transactionWei, dayWei, totalWei } = limits[token]
    const { wagered, returned } = books?.[token] ?? { wagered: 0n, returned: 0n }
    return {
      creditLimitWei: transactionWei.toString(),
      dayLimitWei: dayWei.toString(),
      maxDebtWei: totalWei === null ? null : (totalWei + settled[token]).toString(),
      debitHourWei: debits[token].hourWei.toString(),
      creditedWei: today[token].creditedWei,
      debitedWei: today[token].debitedWei,
      wagered: wagered.toString(),
      returned: returned.toString(),
      settledWei: settled[token].toString(),
      owedWei: (wagered - returned - settled[token]).toString(),
    }
  })
}
