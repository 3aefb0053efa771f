import { GAME_NAMES } from '../../games/games.ts'
import { ZERO_ADDRESS } from '../../vault/typed-data.ts'
import { get, isFailure } from '../api.ts'
import type { Kind } from '../boxes/shop.ts'
import type { TableState } from '../crash/table.ts'
import type { EntropyConfig } from '../games/desk.ts'
import { useEffect, useState } from '../hooks.ts'
import type { LootboxAnswer as LootboxTerms } from '../lootbox/terms.ts'

/** The service's current answer about a game's terms. */
export type HelpTerms =
  | { kind: 'crash'; table: TableState }
  | { kind: 'play'; config: EntropyConfig }
  | { kind: 'lootbox'; terms: LootboxTerms }
  | { kind: 'boxes'; kinds: Kind[] }
  | { kind: 'none'; message: string }

/** Reads the terms of a game; null until they have arrived. */
export function useTerms(game: string): HelpTerms | null {
  const [terms, setTerms] = useState<HelpTerms | null>(null)
  useEffect(() => {
    let isLeft = false
    void readTerms(game).then((read) => isLeft || setTerms(read))
    return () => void (isLeft = true)
  }, [game])
  return terms
}

async function readTerms(game: string): Promise<HelpTerms> {
  if (game === 'lootbox') {
    const terms = await get<LootboxTerms>('/api/lootbox')
    return isFailure(terms) ? none(terms.error.message) : { kind: 'lootbox', terms }
  }
  if (game === 'boxes') {
    const shop = await get<{ kinds: Kind[] }>('/api/lootbox-nft', { wallet: ZERO_ADDRESS })
    return isFailure(shop) ? none(shop.error.message) : { kind: 'boxes', kinds: shop.kinds }
  }
  if (GAME_NAMES.some((name) => name === game)) {
    const config = await get<EntropyConfig>('/api/entropy')
    return isFailure(config) ? none(config.error.message) : { kind: 'play', config }
  }
  const table = await get<TableState>('/api/crash', { action: 'watch' })
  return isFailure(table) ? none(table.error.message) : { kind: 'crash', table }
}

function none(message: string): HelpTerms {
  return { kind: 'none', message }
}
