import { CompactSign, importJWK } from 'jose'
import type { WholeRound } from '../../../src/crash/disclosure.ts'
import { commitmentOf } from '../../../src/fairness/seed.ts'
import { wireParams, selectionOf } from '../../../src/games/games.ts'
import { settle, type SettledPlay } from '../../../src/games/play.ts'
import { RECEIPT_TYPE, type Receipt } from '../../../src/receipts/claims.ts'
import { thumbprintOf } from '../../../src/receipts/jws.ts'
import type { PublishedKey } from '../../../src/receipts/key.ts'
import { RECEIPT_KEYS } from '../../shared/receipt-keys.ts'
import { SEED } from './builders.ts'

export const ISS = 'http://localhost:8787'

/** Who has received the receipt of {@link PLAY}. */
export const WALLET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** When receipts are issued, in unix milliseconds. */
export const ISSUED_AT = 1_800_000_000_000

/** A disclosed play of limbo, number 7. */
export const PLAY = {
  ok: true,
  wallet: WALLET,
  settledAt: ISSUED_AT,
  nextSeedHash: commitmentOf('00'.repeat(32)),
  ...settle(
    { game: 'limbo', params: { target: 150 } },
    { token: 'USDG', amountWei: 1_000_000n },
    { seed: SEED, seedHash: commitmentOf(SEED), clientSeed: 'mine', nonce: 7 },
    { edgeBps: 100, tables: 1 },
  ),
}

export type Of<K extends Receipt['kind']> = Extract<Receipt, { kind: K }>

const SECRETS = (JSON.parse(RECEIPT_KEYS) as { keys: (PublishedKey & { d?: string })[] }).keys

/** The keys as published: one that signs, and an earlier one. */
export const KEYS: PublishedKey[] = SECRETS.map(({ d: _d, ...key }) => ({
  ...key,
  alg: 'ES256',
  use: 'sig',
  kid: thumbprintOf(key),
}))

/** Signs a receipt with the first key. */
export async function sign(receipt: Receipt, kid = KEYS[0]!.kid): Promise<string> {
  const key = await importJWK(SECRETS[0]!, 'ES256')
  return new CompactSign(new TextEncoder().encode(JSON.stringify(receipt)))
    .setProtectedHeader({ alg: 'ES256', typ: RECEIPT_TYPE, kid })
    .sign(key)
}

export const issuedTo = (wallet: string) => ({
  iss: ISS,
  sub: wallet.toLowerCase(),
  iat: ISSUED_AT / 1_000,
  chainId: 31_337,
  seq: 2,
  entry: 'e1'.repeat(32),
  terms: 'f1'.repeat(32),
})

/** The honest receipt of a bet in a disclosed round. */
export function betReceipt(round: WholeRound, n: number): Of<'bet'> {
  const { wallet, token, amountWei, autoCashout } = round.bets[n]!
  const { roundId, seedHash, pepperSource } = round
  return {
    ...issuedTo(wallet),
    kind: 'bet',
    roundId,
    seedHash,
    pepperSource,
    token,
    amountWei,
    autoCashout,
  }
}

/** The honest receipt of a cash-out in a disclosed round. */
export function cashoutReceipt({ roundId, bets }: WholeRound, n: number): Of<'cashout'> {
  const { wallet, multiplier, payout, cashedOutAt } = bets[n]!
  const at = cashedOutAt ?? 0
  const entry = { ...issuedTo(wallet), seq: 3, entry: 'e2'.repeat(32) }
  return { ...entry, kind: 'cashout', roundId, multiplier, payout, at }
}

/** The honest receipt of a disclosed play. */
export function playReceipt(
  wallet: string,
  play: SettledPlay & { nextSeedHash: string },
): Of<'play'> {
  const { game, nonce, seedHash, nextSeedHash, clientSeed, token, amount, payout } = play
  const params = JSON.parse(JSON.stringify(wireParams(selectionOf(play)))) as object
  return {
    ...issuedTo(wallet),
    kind: 'play',
    game,
    nonce,
    seedHash,
    nextSeedHash,
    clientSeed,
    params,
    token,
    amountWei: amount,
    payout,
  }
}

export const withdrawalReceipt: Of<'withdrawal'> = {
  ...issuedTo('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'),
  kind: 'withdrawal',
  nonce: 0,
  token: 'ETH',
  amountWei: '5',
  seq: 4,
}

export const transactionReceipt: Of<'transaction'> = {
  ...issuedTo('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'),
  kind: 'transaction',
  partner: 'demo',
  partnerTransactionId: 'spin-1',
  currency: 'USDG',
  amountWei: '-5',
  balanceWei: '95',
  seq: 5,
}

export const rollbackReceipt: Of<'rollback'> = {
  ...transactionReceipt,
  kind: 'rollback',
  partnerTransactionId: 'undo-1',
  originalTransactionId: 'spin-1',
  amountWei: '5',
  balanceWei: '100',
  seq: 6,
}
