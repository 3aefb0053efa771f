import { get, post, type Answer, type Player } from './support.ts'

/** A daily limit of USDG. */
export const DAILY = { window: 'day', token: 'USDG' }

export const DOLLAR = '1000000'
export const DONE = [200, undefined]
export const REACHED = [403, 'limit_reached']

/** Sends one of a player's requests about their limits. */
export async function ask(player: Player, action: string, fields: object = {}): Promise<Answer> {
  const credentials = { wallet: player.wallet, authSig: await player.authSig() }
  return post('/api/limits', { action, ...credentials, ...fields })
}

/** Sets a limit of USDG. */
export function setLimit(player: Player, kind: string, amountWei: string, window = 'day') {
  return ask(player, 'set', { kind, window, token: 'USDG', amountWei })
}

/** A player's limits as they see them. */
export async function limitsOf(player: Player) {
  return (await get(`/api/limits?wallet=${player.wallet}&authSig=${await player.authSig()}`)).body
}
