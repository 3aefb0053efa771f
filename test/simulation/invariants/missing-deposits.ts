import { CHAIN } from '../chain/addresses.ts'
import type { Chain } from '../chain/chain.ts'
import type { World } from '../world/world.ts'
import { rowsOf } from './rounds.ts'

const TOKENS = ['USDG', 'ETH'] as const

/** What a wallet was credited for a deposit. Amounts are in smallest units, as text. */
interface Credited {
  token: 'USDG' | 'ETH'
  amountWei: string
}

/** A deposit that was credited and that the chain has dropped permanently. */
export interface MissingDeposit {
  wallet: string
  txHash: string
  credited: Credited[]
  /** Whether operators have charged it to the house. */
  isWrittenOff: boolean
}

interface Kept {
  wallet: string
  txHash: string
  state: string
  credited: Credited[]
}

/** Returns the deposits that were credited and never come back. */
export function missingDeposits(world: World, chain: Chain): MissingDeposit[] {
  return creditedDeposits(world)
    .filter(({ txHash }) => isGone(chain, txHash))
    .map(({ state, ...deposit }) => ({ ...deposit, isWrittenOff: state === 'written_off' }))
}

/** Until operators write a missing deposit off, its wallet must be frozen, and no other one. */
export function checkStates(world: World, chain: Chain): void {
  for (const { wallet, txHash, state } of creditedDeposits(world)) {
    if (isGone(chain, txHash) !== ['missing', 'written_off'].includes(state))
      world.violate(`deposit ${txHash} of ${wallet} is ${state} in its ledger`)
  }
}

function isGone(chain: Chain, txHash: string): boolean {
  return chain.gone.some(({ hash }) => hash === txHash)
}

function creditedDeposits(world: World): Kept[] {
  const sql = 'SELECT tx_hash AS txHash, state, credited FROM vault_transactions'
  return world.objects.of('Ledger').flatMap(({ name: wallet }) =>
    rowsOf(world, 'Ledger', wallet, sql)
      .map((row) => ({
        wallet,
        txHash: String(row['txHash']),
        state: String(row['state']),
        credited: JSON.parse(String(row['credited'])) as Credited[],
      }))
      .filter(({ credited }) => credited.length > 0),
  )
}

/** Returns whether a wallet has a credited deposit that never comes back: its debits may stay open. */
export function hasMissing(world: World, wallet: string): boolean {
  if (!world.chain?.gone.some(({ from }) => from === wallet)) return false
  const sql = "SELECT 1 FROM vault_transactions WHERE state = 'missing'"
  return rowsOf(world, 'Ledger', wallet, sql).length > 0
}

/** Returns what a wallet was credited in a token for deposits that never come back, in smallest units. */
export function missingWei(
  missing: readonly MissingDeposit[],
  wallet: string,
  token: string,
): bigint {
  const isOpen = (deposit: MissingDeposit) => deposit.wallet === wallet && !deposit.isWrittenOff
  return creditedWei(missing.filter(isOpen), token)
}

/** Returns what the house has lost in a token by deposits that operators have written off, in smallest units. */
export function writtenOffWei(world: World, token: string): bigint {
  const missing = world.chain ? missingDeposits(world, world.chain) : []
  return creditedWei(
    missing.filter(({ isWrittenOff }) => isWrittenOff),
    token,
  )
}

function creditedWei(deposits: readonly MissingDeposit[], token: string): bigint {
  return deposits
    .flatMap(({ credited }) => credited)
    .filter((movement) => movement.token === token)
    .reduce((sum, { amountWei }) => sum + BigInt(amountWei), 0n)
}

/** Each missing deposit, its wallet and the resulting shortfall of the vault are reported to operators. */
export function checkAlerts(world: World, chain: Chain, missing: readonly MissingDeposit[]): void {
  const told = (...texts: string[]) =>
    chain.alerts.some((line) => texts.every((text) => line.includes(text)))
  const watch = `${CHAIN.chainId}:${CHAIN.vault}`
  const listed = rowsOf(world, 'VaultWatch', watch, 'SELECT account FROM logs WHERE is_there = 0')
  const drifts = rowsOf(
    world,
    'Treasury',
    watch,
    'SELECT token, place, amount_wei AS amountWei FROM drifts WHERE until IS NULL',
  )
  for (const { wallet, txHash, isWrittenOff } of missing) {
    if (!told('"credited_deposit_missing"', txHash))
      world.violate(`operators are not told that deposit ${txHash} is missing`)
    if (!isWrittenOff && !listed.some(({ account }) => account === wallet))
      world.violate(`the watch does not list ${wallet}, whose deposit is missing`)
  }
  for (const wallet of new Set(missing.map((deposit) => deposit.wallet))) {
    for (const token of TOKENS) {
      const lackedWei = missingWei(missing, wallet, token)
      if (lackedWei === 0n) continue
      const found = drifts.find((drift) => drift['token'] === token && drift['place'] === wallet)
      if (String(found?.['amountWei']) !== (-lackedWei).toString())
        world.violate(`the vault lacks ${lackedWei} ${token} of ${wallet}, but no drift says so`)
      if (!told('"vault_drift_stays"', `"token":"${token}"`, wallet))
        world.violate(`operators are not told that the vault lacks ${token} of ${wallet}`)
      if (!told('"withdrawals_paused"', `"token":"${token}"`))
        world.violate(`withdrawals are not paused, though the vault lacks ${token}`)
    }
  }
  for (const { token, place, amountWei } of drifts) {
    if (missingWei(missing, String(place), String(token)) !== -BigInt(String(amountWei)))
      world.violate(`${String(place)} drifts by ${String(amountWei)} ${String(token)}`)
  }
}
