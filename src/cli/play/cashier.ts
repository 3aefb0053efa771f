import { getAddress, isHex, type Hex } from 'viem'
import type { Check } from '../../fairness/check.ts'
import { hasEnded, type Withdrawal, type WithdrawalAnswer } from '../../ledger/withdrawal.ts'
import type { Token } from '../../money/token.ts'
import { readAmount, showAmount } from '../shared/amounts.ts'
import { ChainWallet } from '../shared/chain-wallet.ts'
import { ServiceError } from '../shared/client.ts'
import { findVault, type VaultAccess } from '../shared/manifest.ts'
import type { Player, SignedWithdrawal } from '../shared/player.ts'
import { poll } from '../shared/poll.ts'
import { CommandError, type LiveLine, printCheck } from '../shared/terminal.ts'
import type { Receipts } from './receipts.ts'

/** The number of stakes to take from the faucet at a time. */
const STAKES_TO_TAKE = 100n

/** How long a deposit or withdrawal may take on any chain, with all of its confirmations. */
const PATIENCE_MS = 1_200_000

/** The final withdrawal: an amount in smallest units, all chips, the payouts of this session, or none. */
type WithdrawalChoice = bigint | 'all' | 'payout' | 'none'

export function readWithdrawalChoice(text: string | undefined, token: Token): WithdrawalChoice {
  if (text === undefined) return 'payout'
  return text === 'all' || text === 'none' ? text : readAmount(text, token, '--withdraw')
}

/** The inputs of a cashier that acts for a player. */
interface Clerk {
  player: Player
  line: LiveLine
  receipts: Receipts
}

/** Provides chips and withdraws them, through the vault or from the faucet. */
export class Cashier {
  readonly #player: Player
  readonly #line: LiveLine
  readonly #receipts: Receipts
  /** Null if the service's chain isn't known here. */
  readonly #wallet: ChainWallet | null
  /** How long a deposit or withdrawal may take; the default suits a local chain. */
  readonly #patienceMs: number | undefined

  constructor({ player, line, receipts }: Clerk, wallet: ChainWallet | null, patienceMs?: number) {
    this.#player = player
    this.#line = line
    this.#receipts = receipts
    this.#wallet = wallet
    this.#patienceMs = patienceMs
  }

  /**
   * Returns a service's cashier. It uses the vault if the manifest of local play has one, or if a node is named.
   * @throws CommandError if the service or the node has no vault
   */
  static async at(baseUrl: URL, key: Hex, rpcUrl: string | null, clerk: Clerk): Promise<Cashier> {
    const vault =
      rpcUrl === null ? await findVault(baseUrl) : await shownVault(clerk.player, rpcUrl)
    if (!vault) return new Cashier(clerk, null)
    const wallet = new ChainWallet(vault, key)
    await wallet.expectVault()
    return new Cashier(clerk, wallet, rpcUrl === null ? undefined : PATIENCE_MS)
  }

  /** Whether deposits and withdrawals are possible. */
  get hasVault(): boolean {
    return this.#wallet !== null
  }

  /** Provides enough chips for a stake. */
  async provide(token: Token, stakeWei: bigint, chipsWei: bigint): Promise<void> {
    if (chipsWei >= stakeWei) return
    if (this.#wallet) return this.#deposit(this.#wallet, token, stakeWei - chipsWei)
    const amountWei = stakeWei * STAKES_TO_TAKE
    try {
      await this.#player.takeChips(token, amountWei)
    } catch (fault) {
      if (!(fault instanceof ServiceError) || fault.status !== 404) throw fault
      throw new CommandError(
        `You have ${showAmount(chipsWei, token)} in chips and want to bet ${showAmount(stakeWei, token)}. ` +
          'This service has no faucet: deposit some first, or bet less with --amount.',
      )
    }
    this.#line.print(`took ${showAmount(amountWei, token)} in chips from the faucet`)
  }

  /**
   * Withdraws, waits for the payment on chain, and checks the wallet's balance.
   * @param paidWei the payouts of this session
   * @returns whether every check passed
   */
  async payOut(token: Token, wanted: WithdrawalChoice, paidWei: bigint): Promise<boolean> {
    if (!this.#wallet || wanted === 'none') return true
    const amountWei = await this.#amountOf(token, wanted, paidWei)
    if (amountWei === 0n) {
      this.#line.print(`nothing to withdraw: ${showAmount(0n, token)} paid out`)
      return true
    }
    const { withdrawal, receipt } = await this.#withdraw(this.#wallet, token, amountWei)
    const isPaid = await this.#isPaid(this.#wallet, token, withdrawal)
    const sent = { nonce: withdrawal.nonce, token, amountWei: amountWei.toString() }
    const known = { kind: 'withdrawal' as const, ...sent }
    const checks = await this.#receipts.check(receipt, known)
    checks.forEach(printCheck)
    return isPaid && checks.every(({ holds }) => holds)
  }

  async #deposit(wallet: ChainWallet, token: Token, amountWei: bigint): Promise<void> {
    const before = await this.#chips(token)
    const own = await wallet.balance(token)
    const amount = showAmount(amountWei, token)
    if (own < amountWei) {
      throw new CommandError(
        `Your wallet has ${showAmount(own, token)}, but ${amount} must be deposited. Bet less with --amount, or use another --player.`,
      )
    }
    this.#line.show(`depositing ${amount} …`)
    const hash = await wallet.deposit(token, amountWei)
    this.#line.print(`deposited ${amount} from your wallet: ${hash}`)
    await poll(
      'The deposit is on chain, but its chips were not credited in time. See the log of the service.',
      async () => {
        const chips = await this.#chips(token)
        return chips >= before + amountWei ? chips : null
      },
      this.#patienceMs,
    )
  }

  async #amountOf(token: Token, wanted: WithdrawalChoice, paidWei: bigint): Promise<bigint> {
    if (typeof wanted === 'bigint') return wanted
    const chips = await this.#chips(token)
    return wanted === 'all' || chips < paidWei ? chips : paidWei
  }

  /** Signs and requests a withdrawal, and repeats the request to follow its status. */
  async #withdraw(wallet: ChainWallet, token: Token, amountWei: bigint): Promise<WithdrawalAnswer> {
    const { nonce } = (await this.#player.state()).me
    const signature = await wallet.signWithdrawal({ token, amountWei, nonce })
    const order = { token, amountWei, nonce, signature }
    return poll(
      'The withdrawal was accepted, but not paid in time. See the log of the service.',
      async () => {
        const answer = await this.#ask(order)
        const status = answer?.withdrawal.status
        this.#line.show(`withdrawing ${showAmount(amountWei, token)}: ${status ?? 'waiting'}`)
        return status && hasEnded(status) ? answer : null
      },
      this.#patienceMs,
    )
  }

  /** Returns null while an earlier withdrawal is in progress. */
  async #ask(order: SignedWithdrawal): Promise<WithdrawalAnswer | null> {
    try {
      return await this.#player.withdraw(order)
    } catch (fault) {
      if (fault instanceof ServiceError && fault.code === 'withdrawal_pending') return null
      throw fault
    }
  }

  async #isPaid(
    wallet: ChainWallet,
    token: Token,
    { status, amountWei, txHash }: Withdrawal,
  ): Promise<boolean> {
    const amount = showAmount(BigInt(amountWei), token)
    if (status !== 'confirmed' || !isHex(txHash)) {
      this.#line.print(`the withdrawal of ${amount} failed; its chips were refunded`)
      return false
    }
    const { before, after } = await wallet.received(token, txHash)
    this.#line.print(`paid ${amount} to your wallet: ${txHash}`)
    const balance = `${showAmount(before, token)} before, ${showAmount(after, token)} after`
    const check: Check = {
      claim: `your wallet has exactly ${amount} more: ${balance}`,
      holds: after - before === BigInt(amountWei),
    }
    printCheck(check)
    return check.holds
  }

  async #chips(token: Token): Promise<bigint> {
    return BigInt((await this.#player.state()).me.chips[token])
  }
}

/** Returns the vault that a service shows, on a node of the caller's choice. */
async function shownVault(player: Player, rpcUrl: string): Promise<VaultAccess> {
  const { chain } = (await player.state()).config
  if (!chain) throw new CommandError('The service has no vault. Omit --rpc.')
  const { chainId, vault, usdg } = chain
  return { rpcUrl, chainId, address: getAddress(vault), usdg: getAddress(usdg) }
}
