import type { Address, Hex } from 'viem'
import { readSender } from '../chain/sender.ts'
import { vaultOwner } from '../chain/vault.ts'
import { loadConfig } from '../config.ts'
import type { JsonObject } from '../http/body.ts'
import { validate } from '../http/schema.ts'
import type { WithdrawalAnswer } from '../ledger/withdrawal.ts'
import { logFault } from '../log.ts'
import { HOUSE, ledger, retried, vaultWatch } from '../objects.ts'
import { isRefusal, refuse, type Refusal } from '../refusal.ts'
import { smallestWithdrawal } from '../relayer/gas.ts'
import { recordResults, refreshBankroll } from './bankroll.ts'
import { currentConditions } from './conditions.ts'
import { HouseTopupBody, WithdrawBody } from './schema.ts'
import { isSignedByPlayer } from './signature.ts'

/** Takes a signed withdrawal, or answers how an earlier one with its nonce is doing. */
export async function withdraw(
  env: Env,
  wallet: string,
  body: JsonObject,
): Promise<WithdrawalAnswer | Refusal> {
  const { vault } = loadConfig(env)
  if (!vault) return noChain()
  const parsed = validate(WithdrawBody, body)
  if (isRefusal(parsed)) return parsed
  const { token, amountWei, nonce, signature } = parsed.value
  const order = { player: wallet as Address, token, amountWei, nonce }
  const [isSigned, conditions] = await Promise.all([
    isSignedByPlayer(vault, order, signature as Hex),
    currentConditions(env),
  ])
  const min = smallestWithdrawal(vault.withdrawalMin, conditions?.gasPriceWei ?? null)[token]
  const isVaultPaused = conditions?.isPaused ?? false
  const request = { token, amountWei, nonce, signature, isSigned, min, isVaultPaused }
  return retried(async () => ledger(env, wallet).withdraw(request))
}

/**
 * For the vault's owner: counts what the house was funded with, says how it stands, and has the result
 * recorded that lets the owner take out the house's share, unless only the check was asked for.
 */
export async function houseTopup(env: Env, wallet: string, body: JsonObject): Promise<object> {
  const { vault } = loadConfig(env)
  if (!vault) return noChain()
  const parsed = validate(HouseTopupBody, body)
  if (isRefusal(parsed)) return parsed
  try {
    if ((await vaultOwner(vault)) !== wallet) {
      return refuse('not_vault_owner', 'Only the owner of the vault contract may do this.')
    }
    if (!(await retried(async () => vaultWatch(env, vault.id).look()))) return noChain()
    await retried(async () => ledger(env, HOUSE).tellPosition())
    const [house, { address, balanceWei }] = await Promise.all([
      refreshBankroll(env, vault),
      readSender(vault),
    ])
    if (parsed.value.record) await recordResults(env, vault)
    const { reserveWei } = vault.relayer
    return {
      ok: true,
      houseNeedsFunding: balanceWei < reserveWei,
      house: { ETH: house.ETH.toString(), USDG: house.USDG.toString() },
      relayer: {
        address,
        balanceWei: balanceWei.toString(),
        reserveWei: reserveWei.toString(),
      },
    }
  } catch (fault) {
    logFault('the house could not be counted', fault)
    return noChain()
  }
}

function noChain(): Refusal {
  return refuse('chain_unavailable', 'The chain cannot be reached from here now; try again later.')
}
