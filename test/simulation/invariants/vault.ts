import { decodeEventLog, type Hex } from 'viem'
import { vaultAbi } from '../../../src/chain/abi.ts'
import { HOUSE } from '../../../src/ledger/accounts.ts'
import type { Accepted } from '../actors/cashiers.ts'
import { CHAIN } from '../chain/addresses.ts'
import type { Chain } from '../chain/chain.ts'
import { holdings } from '../chain/vault-state.ts'
import type { World } from '../world/world.ts'
import { rests, waitsForGas } from './gas.ts'
import type { SoundAudit } from './ledgers.ts'
import { checkAlerts, checkStates, missingDeposits, missingWei } from './missing-deposits.ts'
import { withdrawalsOf, type Withdrawal } from './withdrawals.ts'

type Moved = { token: string; amount: bigint }

/** What the simulated vault logs. */
type Logged =
  | { eventName: 'Deposited'; args: Moved & { player: string } }
  | { eventName: 'Funded'; args: Moved }
  | { eventName: 'Withdrawn'; args: Moved & { player: string; nonce: bigint } }
  | { eventName: 'NonceBurned'; args: { player: string; nonce: bigint } }

const TOKENS = { USDG: CHAIN.usdg, ETH: CHAIN.eth } as const

/** A payment or burn on the chain. */
interface NonceUse {
  player: string
  nonce: number
  /** Null for a burn. */
  amountWei: string | null
}

/**
 * Once the chain has been calm for long, books and vault agree to the unit but for deposits that never come back, and
 * every withdrawal has ended.
 */
export function checkVault(
  world: World,
  chain: Chain,
  audits: ReadonlyMap<string, SoundAudit>,
  accepted: readonly Accepted[],
): void {
  const { net, uses } = readChain(chain)
  checkStates(world, chain)
  const missing = missingDeposits(world, chain)
  checkAlerts(world, chain, missing)
  const waiting = waitingForGas(world, chain, [...audits.keys()], uses)
  for (const [token, address] of Object.entries(TOKENS) as ['USDG' | 'ETH', string][]) {
    let [sum, missingSum] = [0n, 0n]
    for (const [wallet, { balances }] of audits) {
      const booked = -BigInt(balances[token]['vault'] ?? 0)
      sum += booked
      const onChain = net.get(`${wallet} ${address.toLowerCase()}`) ?? 0n
      const lackedWei = missingWei(missing, wallet, token)
      missingSum += lackedWei
      if (booked !== onChain + lackedWei)
        world.violate(`${wallet} has ${onChain} ${token} in the vault, but its books say ${booked}`)
      const withdrawing = balances[token]['withdrawing']
      const later = sumOf(waiting.filter((each) => each.player === wallet && each.token === token))
      if (withdrawing !== later.toString())
        world.violate(`${wallet} still withdraws ${withdrawing} ${token}`)
    }
    const held = holdings(chain.head.state, address)
    if (sum !== held + missingSum)
      world.violate(`the vault holds ${held} ${token}, but the books say ${sum}`)
  }
  for (const { wallet, nonce, amountWei } of accepted) {
    if (waiting.some((each) => each.player === wallet && each.nonce === nonce)) continue
    const use = uses.find((each) => each.player === wallet && each.nonce === nonce)
    if (!use) world.violate(`withdrawal ${nonce} of ${wallet} never reached the chain`)
    else if (use.amountWei === null && !mayBeBurned(chain, wallet, nonce))
      world.violate(`withdrawal ${nonce} of ${wallet} was given up, though the vault could pay it`)
    else if (use.amountWei !== null && use.amountWei !== amountWei)
      world.violate(`withdrawal ${nonce} of ${wallet} paid ${use.amountWei}, not ${amountWei}`)
  }
}

/**
 * Returns whether the vault may have refused a withdrawal: it was paused, the wallet refused, or on some branch it held
 * too little.
 */
function mayBeBurned({ consents, payments, wasPaused }: Chain, wallet: string, nonce: number) {
  const wasUncovered = payments
    .all()
    .some((sent) => sent.player === wallet && sent.nonce === nonce && sent.wasUncovered)
  return wasPaused || consents.wasRefused(wallet, nonce) || wasUncovered
}

/**
 * Returns the withdrawals that wait because their wallets have drawn the gas of a day or wasted some, with no
 * transaction under way.
 */
function waitingForGas(
  world: World,
  chain: Chain,
  wallets: readonly string[],
  uses: readonly NonceUse[],
): Withdrawal[] {
  return wallets
    .flatMap((wallet) => withdrawalsOf(world, wallet))
    .filter(({ status }) => status === 'pending' || status === 'submitted')
    .filter(
      ({ player, nonce }) => !uses.some((use) => use.player === player && use.nonce === nonce),
    )
    .filter((each) => !isUnderWay(chain, each))
    .filter((each) => waitsForGas(chain, each, world.scheduler.now) || rests(world, chain, each))
}

/** Returns whether a transaction of a payment may still be mined: nothing has used its number. */
function isUnderWay({ head, payments }: Chain, { player, nonce }: Withdrawal): boolean {
  const { accounts } = head.state
  return payments
    .all()
    .filter((sent) => sent.player === player && sent.nonce === nonce)
    .some(({ sender, txNonce }) => txNonce >= (accounts.get(sender) ?? 0))
}

function sumOf(withdrawals: readonly Withdrawal[]): bigint {
  return withdrawals.reduce((sum, { amountWei }) => sum + amountWei, 0n)
}

/** Returns what each wallet has brought in less what was paid to it, and how nonces were used. */
function readChain(chain: Chain) {
  const net = new Map<string, bigint>()
  const uses: NonceUse[] = []
  const add = (account: string, token: string, amount: bigint) => {
    const key = `${account} ${token.toLowerCase()}`
    net.set(key, (net.get(key) ?? 0n) + amount)
  }
  for (const { logs } of chain.blocks.flatMap(({ mined }) => mined)) {
    for (const { address, topics, data } of logs) {
      if (address) continue
      const log = decodeEventLog({ abi: vaultAbi, topics: topics as [Hex], data }) as Logged
      if (log.eventName === 'Deposited') add(log.args.player, log.args.token, log.args.amount)
      if (log.eventName === 'Funded') add(HOUSE, log.args.token, log.args.amount)
      if (log.eventName === 'Withdrawn') {
        const { player, token, amount, nonce } = log.args
        add(player, token, -amount)
        uses.push({ player, nonce: Number(nonce), amountWei: amount.toString() })
      }
      if (log.eventName === 'NonceBurned')
        uses.push({ player: log.args.player, nonce: Number(log.args.nonce), amountWei: null })
    }
  }
  return { net, uses }
}
