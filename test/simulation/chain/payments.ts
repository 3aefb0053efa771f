import { type Address, type Hex } from 'viem'
import { vaultAbi } from '../../../src/chain/abi.ts'
import { withdrawalHash } from '../../../src/chain/vault.ts'
import { CHAIN } from './addresses.ts'
import type { BoxCall } from './box-state.ts'
import { decodeCall } from './decoded.ts'
import type { ChainCall, ChainState } from './vault-state.ts'
import { accepts, type Behaviour } from './wallet-code.ts'

/** How a call runs: for a node's answer or in a block, and with how much gas. */
export interface Running {
  where: keyof Behaviour
  gas: number
}

/** A payment of the vault. */
export interface VaultPayment {
  player: Address
  token: 'USDG' | 'ETH'
  amountWei: bigint
  nonce: number
  signature: Hex
}

/** What a call takes without the code of the paid wallet. */
const OWN_GAS = 90_000
/** The vault's limits on the wallet's code, and what it adds before a call: see Vault.sol. */
const SIGNATURE_GAS = 400_000
const RECEIVE_GAS = 60_000
const CALL_OVERHEAD = 13_000

const passedOn = (gas: number) => Math.ceil((gas * 64) / 63)

/** Returns the payment that a call makes, or null if it makes none. */
export function paymentIn(call: ChainCall): VaultPayment | null {
  const decoded = vaultCallIn(call)
  if (decoded?.functionName !== 'withdraw') return null
  const [player, address, amountWei, nonce, signature] = decoded.args
  const token = address === CHAIN.eth ? 'ETH' : 'USDG'
  return { player, token, amountWei, nonce: Number(nonce), signature }
}

/** Returns the payment that a call prevents by burning its nonce; null if it burns none. */
export function burnIn(call: ChainCall | BoxCall): Pick<VaultPayment, 'player' | 'nonce'> | null {
  const decoded = vaultCallIn(call)
  if (decoded?.functionName !== 'burnNonce') return null
  const [player, nonce] = decoded.args
  return { player, nonce: Number(nonce) }
}

function vaultCallIn(call: ChainCall | BoxCall) {
  const isOfVault = call.kind === 'relayed' && call.to.toLowerCase() === CHAIN.vault.toLowerCase()
  return isOfVault ? decodeCall(vaultAbi, call.data) : null
}

/** What the paid wallet makes of a payment. */
interface Reaction {
  isTaken: boolean
  /** The least gas limit with which it can succeed, and what it takes if it does. */
  needed: number
  used: number
}

/** Returns what the paid wallet's code makes of a payment, by the vault's rules. */
export function reactionTo(
  state: ChainState,
  payment: VaultPayment,
  where: keyof Behaviour,
): Reaction {
  const code = state.codes.get(payment.player)
  if (!code) return { isTaken: true, needed: OWN_GAS, used: OWN_GAS }
  let [isTaken, needed, used] = [true, OWN_GAS, OWN_GAS]
  if (code.key !== null) {
    const taken = Math.min(code.signing[where].gas, SIGNATURE_GAS)
    const asked = { wallet: payment.player, hash: hashOf(payment), signature: payment.signature }
    isTaken = accepts(code, where, asked, SIGNATURE_GAS)
    needed += passedOn(taken)
    used += taken
  }
  if (isTaken && payment.token === 'ETH') {
    const { does, gas } = code.receiving[where]
    isTaken = does === 'right' && gas <= RECEIVE_GAS
    needed += passedOn(RECEIVE_GAS) + CALL_OVERHEAD
    used += Math.min(gas, RECEIVE_GAS)
  }
  return { isTaken, needed, used }
}

/** Returns whether the paid wallet's code lets a payment fail that runs so. */
export function isRefused(state: ChainState, payment: VaultPayment, running: Running): boolean {
  const { isTaken, needed } = reactionTo(state, payment, running.where)
  return !isTaken || needed > running.gas
}

/** Returns the gas that a call takes, and the least limit with which it can succeed. */
export function gasOf(state: ChainState, call: ChainCall, where: keyof Behaviour) {
  const payment = paymentIn(call)
  return payment ? reactionTo(state, payment, where) : { needed: OWN_GAS, used: OWN_GAS }
}

function hashOf(payment: VaultPayment): Hex {
  const { chainId, vault: address, usdg } = CHAIN
  return withdrawalHash({ chainId, address, usdg }, payment)
}
