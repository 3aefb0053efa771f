import type { z } from 'zod'
import type { PermissionsAnswer } from '../../api/wallet-bridge/answers-schema.ts'
import { PERMISSION_TYPES } from '../../ledger/permission.ts'
import type { Token } from '../../money/token.ts'
import { announce } from '../announce.ts'
import { fail, get, isFailure, post, type Failure, type Problem } from '../api.ts'
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
  /** The partner whose permission is being changed. */
  changing: string | null
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

export const permitting = new Store<State>({
  owner: null,
  permissions: null,
  changing: null,
  problem: null,
  problemOf: null,
})

/** Reads the player's permissions. The answer is ignored if the player has left meanwhile. */
export async function readPermissions(): Promise<void> {
  const { credentials } = session.value
  const owner = credentials?.wallet ?? null
  if (permitting.value.owner !== owner) {
    permitting.patch({ owner, permissions: null, problem: null, problemOf: null })
  }
  const list = await fetchList()
  if (session.value.credentials?.wallet !== owner) return
  if (!isFailure(list)) permitting.patch({ permissions: list.permissions })
  else if (!permitting.value.permissions) {
    permitting.patch({ problem: list.error, problemOf: null })
  }
}

/** Has the player sign a permission, and submits it. */
export function grantPermission(wish: Wish): Promise<void> {
  return change(wish.partner, `${wish.partner} can now use your ${wish.token} chips.`, async () => {
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
    const terms = { partner, token, maxPerDayWei: String(maxPerDayWei), expiresAt, nonce }
    return send('grant', { ...terms, signature })
  })
}

/** Ends a permission immediately. Needs no signature beyond the sign-in. */
export function revokePermission(partner: string, token: Token): Promise<void> {
  return change(partner, `${partner} can no longer use your ${token} chips.`, () =>
    send('revoke', { partner, token }),
  )
}

/** Makes one change at a time, and reloads the list even if the change failed. */
async function change(
  partner: string,
  done: string,
  make: () => Promise<object | Failure>,
): Promise<void> {
  if (permitting.value.changing !== null) return
  permitting.patch({ changing: partner, problem: null, problemOf: null })
  const made = await make().catch(walletFailure)
  if (isFailure(made)) permitting.patch({ problem: made.error, problemOf: partner })
  else announce(done)
  await readPermissions()
  permitting.patch({ changing: null })
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
