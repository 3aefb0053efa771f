import type { Address, Hex } from 'viem'
import { keepBankroll } from '../../calls/bankroll.ts'
import { retried } from '../../calls/call.ts'
import { currentConditions } from '../../calls/chain-conditions.ts'
import { configNow } from '../../calls/current-config.ts'
import { namedTerms } from '../../calls/log-terms.ts'
import { currentModes } from '../../calls/modes.ts'
import { ledger, relayer, treasury, vaultWatch } from '../../calls/objects.ts'
import { VAULT_SIGNATURE_GAS } from '../../chain/contract-wallet.ts'
import { readSender } from '../../chain/sender.ts'
import { isVaultPaused as readPause, withdrawalHash } from '../../chain/vault.ts'
import type { VaultConfig } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { isRefusal, refuse, type Refusal } from '../../core/refusal.ts'
import { HOUSE } from '../../ledger/accounts.ts'
import { CHAIN_UNREACHABLE } from '../../ledger/refusals.ts'
import { isSmall, tooDear, type WithdrawalAnswer } from '../../ledger/withdrawal.ts'
import { logFault } from '../../log.ts'
import { amountTexts, TOKENS, type PerToken } from '../../money/token.ts'
import { smallestWithdrawal } from '../../relayer/gas.ts'
import type { ResultOrder } from '../../relayer/payout.ts'
import { askSigned, isSignedBy, isSignedByKey, withFullV } from '../auth/account-signature.ts'
import type { SignedCall } from '../auth/signed.ts'
import { validate } from '../http/schema.ts'
import { receipted } from '../receipts/sign.ts'
import { currentOwner } from './owner.ts'
import { takesTooMuchGas } from './payment-gas.ts'
import { HouseTopupBody, WithdrawBody } from './schema.ts'

/** Accepts a signed withdrawal, or answers with the status of an earlier one with its nonce. */
export async function withdraw(call: SignedCall): Promise<WithdrawalAnswer | Refusal> {
  const { env, wallet, input } = call
  const { vault } = loadConfig(env)
  if (!vault) return CHAIN_UNREACHABLE
  const parsed = validate(WithdrawBody, input)
  if (isRefusal(parsed)) return parsed
  const { token, amountWei, nonce } = parsed.value
  const message = { player: wallet as Address, token, amountWei, nonce }
  const hash = withdrawalHash(vault, message)
  const signature = withFullV(message.player, hash, parsed.value.signature as Hex)
  const [conditions, modes] = await Promise.all([currentConditions(env), currentModes(env)])
  const min = smallestWithdrawal(vault.withdrawalMin, conditions?.gasPriceWei ?? null)[token]
  const isVaultPaused = conditions?.isPaused ?? false
  const { hash: terms } = await namedTerms(env, configNow(env, modes.changes))
  const stated = { token, amountWei, nonce, signature, min, isVaultPaused, terms, modes }
  const askContract = async () => {
    const isSigned = await isSignedBy(vault, message.player, hash, signature, VAULT_SIGNATURE_GAS)
    if (!isSigned || !isSmall(amountWei, min)) return isSigned
    // The relayer would burn the nonce of a withdrawal that takes too much, at the house's expense.
    const isTooDear = await takesTooMuchGas(vault, message, signature)
    if (isTooDear) return tooDear(amountWei, min)
    return isTooDear === null ? null : isSigned
  }
  const accepted = await askSigned(
    call,
    isSignedByKey(message.player, hash, signature) || null,
    (isSigned) => retried(async () => ledger(env, wallet).withdraw({ ...stated, isSigned })),
    askContract,
  )
  if (isRefusal(accepted)) return accepted
  const claims = { kind: 'withdrawal' as const, nonce, token, amountWei: amountWei.toString() }
  return receipted(env, wallet, accepted, claims)
}

/**
 * For the vault's owner: credits the house's funding, reports the bankroll and, unless `record` is false,
 * has the house's result recorded on chain, which lets the owner withdraw the house's share.
 */
export async function houseTopup({ env, wallet, input }: SignedCall): Promise<object> {
  const { vault } = loadConfig(env)
  if (!vault) return CHAIN_UNREACHABLE
  const parsed = validate(HouseTopupBody, input)
  if (isRefusal(parsed)) return parsed
  try {
    if ((await currentOwner(vault)) !== wallet) {
      return refuse(
        'not_vault_owner',
        "Only the vault's owner may do this. Sign in with the owner's wallet.",
      )
    }
    if (!(await retried(async () => vaultWatch(env, vault.id).look(HOUSE))))
      return CHAIN_UNREACHABLE
    await retried(async () => ledger(env, HOUSE).sendPosition())
    // A paused vault takes no result.
    const isRecorded = parsed.value.record && !(await readPause(vault))
    const [house, { address, balanceWei }] = await Promise.all([
      countHouse(env, vault, isRecorded),
      readSender(vault),
    ])
    if (isRefusal(house)) return house
    const { reserveWei } = vault.relayer
    return {
      ok: true,
      houseNeedsFunding: balanceWei < reserveWei,
      house: amountTexts(house),
      relayer: {
        address,
        balanceWei: balanceWei.toString(),
        reserveWei: reserveWei.toString(),
      },
    }
  } catch (fault) {
    logFault('house_count_failed', fault)
    return CHAIN_UNREACHABLE
  }
}

/** Counts the bankroll and, if asked, has the relayer record the house's result on chain. */
async function countHouse(
  env: Env,
  vault: VaultConfig,
  isRecorded: boolean,
): Promise<PerToken<bigint> | Refusal> {
  const at = Date.now()
  const counted = await retried(async () => treasury(env, vault.id).count())
  if (isRefusal(counted)) return counted
  const { bankroll, results } = counted
  keepBankroll(vault.id, bankroll)
  if (!isRecorded) return bankroll
  for (const token of TOKENS) {
    const resultWei = results[token].toString()
    const order: ResultOrder = { kind: 'result', vaultId: vault.id, token, resultWei, at }
    await relayer(env, vault.chainId).record(order)
  }
  return bankroll
}
