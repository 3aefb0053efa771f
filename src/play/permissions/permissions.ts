import type { z } from 'zod'
import type { PermissionsAnswer } from '../../api/wallet-bridge/answers-schema.ts'
import { PERMISSION_TYPES } from '../../ledger/permission.ts'
import type { Token } from '../../money/token.ts'
import { announce } from '../announce.ts'
import { fail, get, isFailure, post, wrong, type Failure, type Problem } from '../api.ts'
import { CANCELLED } from '../job.ts'
import { session, wallet } from '../session.ts'
import { Store } from '../store.ts'
import { walletFailure } from '../wallet/wallet.ts'

type PermissionList = z.infer<typeof PermissionsAnswer>

/** A permission, with the operator's terms for it. */
export type PartnerPermission = PermissionList['permissions'][number]

interface State {
  /** The wallet these belong to. */
  owner: string | null
  /** Null until they have been read. */
  permissions: PartnerPermission[] | null
  /** The permission that a wallet has been asked to grant. */
  granting: Wish | null
  /** Whether the wallet has granted it. From then on it can't be cancelled, only revoked. */
  isSigned: boolean
  problem: Problem | null
  /** The partner that the problem is about; null if it is about the whole list. */
  problemOf: string | null
}

/** A permission that a player wants to grant. */
export interface Wish {
  partner: string
  token: Token
  maxPerDayWei: bigint
  /** Unix seconds. */
  expiresAt: number
}

const NOTHING = {
  owner: null,
  permissions: null,
  granting: null,
  isSigned: false,
  problem: null,
  problemOf: null,
}

export const permitting = new Store<State>(NOTHING)

/** Reads the player's permissions. The answer is ignored if the player has left meanwhile. */
export async function readPermissions(): Promise<void> {
  const { credentials } = session.value
  const owner = credentials?.wallet ?? null
  if (permitting.value.owner !== owner) {
    permitting.set({ ...NOTHING, owner })
  }
  const list = await fetchList()
  if (session.value.credentials?.wallet !== owner) return
  if (!isFailure(list)) permitting.patch({ permissions: list.permissions })
  else if (!permitting.value.permissions) {
    permitting.patch({ problem: list.error, problemOf: null })
  }
}

/** Has the player sign a permission, and submits it. One at a time. */
export async function grantPermission(wish: Wish): Promise<void> {
  if (permitting.value.granting) return
  permitting.patch({ granting: wish, isSigned: false })
  const done = `${wish.partner} can now use your ${wish.token} chips.`
  await change(wish.partner, done, async () => {
    const list = await fetchList()
    if (isFailure(list)) return list
    const { domain, tokens, permissions } = list
    const { partner, token, maxPerDayWei, expiresAt } = wish
    const shown = permissions.find((one) => one.partner === partner && one.token === token)
    const nonce = shown?.nonce ?? 0
    const own = await wallet()
    const signature = await own.signTypedData({
      domain,
      types: PERMISSION_TYPES,
      primaryType: 'PartnerPermission',
      message: {
        player: own.address,
        partner,
        token: tokens[token],
        maxPerDayWei,
        expiresAt,
        nonce,
      },
    })
    // A signature does nothing until it is submitted.
    if (permitting.value.granting !== wish) return fail('wallet', CANCELLED)
    permitting.patch({ isSigned: true })
    const terms = { partner, token, maxPerDayWei: String(maxPerDayWei), expiresAt, nonce }
    return send('grant', { ...terms, signature })
  })
  if (permitting.value.granting === wish) permitting.patch({ granting: null })
}

/** Stops waiting for the wallet, which may never answer. */
export function cancelGrant(): void {
  const { granting, isSigned } = permitting.value
  if (isSigned) return
  const problemOf = granting?.partner ?? null
  permitting.patch({ granting: null, problem: wrong(CANCELLED), problemOf })
}

/** Ends a permission immediately. Needs no signature beyond the sign-in, and no answer of a wallet. */
export function revokePermission(partner: string, token: Token): Promise<void> {
  return change(partner, `${partner} can no longer use your ${token} chips.`, () =>
    send('revoke', { partner, token }),
  )
}

/** Makes a change, and reloads the list even if the change failed. */
async function change(
  partner: string,
  done: string,
  make: () => Promise<object | Failure>,
): Promise<void> {
  permitting.patch({ problem: null, problemOf: null })
  const made = await make().catch(walletFailure)
  if (isFailure(made)) permitting.patch({ problem: made.error, problemOf: partner })
  else announce(done)
  await readPermissions()
}

function send(action: string, fields: object): Promise<object | Failure> {
  const { credentials } = session.value
  return post('/api/wallet/permission', { action, ...credentials, ...fields })
}

async function fetchList(): Promise<PermissionList | Failure> {
  const { credentials } = session.value
  if (!credentials) return fail('auth_required', 'Sign in first.')
  const { wallet: address, authSig } = credentials
  return get<PermissionList>('/api/wallet/permissions', { wallet: address, authSig })
}
