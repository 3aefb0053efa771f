import type { z } from 'zod'
import type { DevOperator } from '../../api/dev/players.ts'
import type {
  ActAnswer,
  OperatorMessageAnswer,
  StateAnswer,
} from '../../api/operator/answers-schema.ts'
import type { Act } from '../../operator/act.ts'
import { ACT_LIFETIME_S } from '../../operator/approval.ts'
import { actTypedData, type ActScope } from '../../operator/typed-data.ts'
import { fail, get, isFailure, post, type Failure, type Problem } from '../api.ts'
import { Store } from '../store.ts'
import { injectedWallet } from '../wallet/injected.ts'
import { rememberWallet, type InstalledWallet } from '../wallet/installed.ts'
import { walletFailure, type Wallet } from '../wallet/wallet.ts'

const PATH = '/api/operate'

export type ServiceState = z.infer<typeof StateAnswer>
export type ActRecord = z.infer<typeof ActAnswer>['act']

/** An operator's credentials. */
export type Source =
  | { kind: 'injected'; wallet: InstalledWallet }
  | { kind: 'development'; operator: DevOperator }

/** A signed-in operator. Kept in memory only: a reload signs out. */
interface SignedIn {
  wallet: Wallet
  scope: ActScope
  authorization: string
}

interface Operating {
  signedIn: SignedIn | null
  /** Null until it has been read. */
  state: ServiceState | null
  isSigningIn: boolean
  problem: Problem | null
  /** The outcome of the operator's latest act; null before the first. */
  news: string | null
}

const SIGNED_OUT = { signedIn: null, state: null, isSigningIn: false, news: null }

export const operating = new Store<Operating>({ ...SIGNED_OUT, problem: null })

/** Signs in with one signature, which is valid for 15 minutes and authorises no act. */
export async function signIn(source: Source): Promise<void> {
  operating.patch({ isSigningIn: true, problem: null })
  const signedIn = await connectAndSign(source)
  if (isFailure(signedIn)) return signOut(signedIn.error)
  operating.patch({ signedIn, isSigningIn: false })
  await readState()
}

export function signOut(problem: Problem | null = null): void {
  operating.set({ ...SIGNED_OUT, problem })
}

/** Reads and shows the state of the service. A sign-in that has expired ends. */
export async function readState(): Promise<void> {
  const { signedIn } = operating.value
  if (!signedIn) return
  const { authorization } = signedIn
  const state = await get<ServiceState & { ok: true }>(PATH, {}, { authorization })
  if (operating.value.signedIn !== signedIn) return
  if (!isFailure(state)) return operating.patch({ state, problem: null })
  const isOut = ['auth_invalid', 'role_required', 'not_configured'].includes(state.error.code)
  if (isOut) signOut(state.error)
  else operating.patch({ problem: state.error })
}

/** Has the operator's wallet sign a new act, and sends it. */
export function submitAct(act: Omit<Act, 'expiresAt'>): Promise<Problem | null> {
  return sign({ ...act, expiresAt: Math.floor(Date.now() / 1_000) + ACT_LIFETIME_S })
}

/** Signs an act that another operator has proposed. The wallet shows the signed text. */
export function confirmAct({ act, target, reason, expiresAt }: ActRecord): Promise<Problem | null> {
  return sign({ act, target, reason, expiresAt })
}

async function sign(act: Act): Promise<Problem | null> {
  const { signedIn, state } = operating.value
  if (!signedIn || !state) return fail('auth_required', 'Sign in again.').error
  const { wallet, scope } = signedIn
  try {
    const signature = await wallet.signTypedData(actTypedData(scope, act))
    const body = { ...act, operator: state.operator.wallet, signature }
    const answer = await post<z.infer<typeof ActAnswer>>(PATH, body)
    if (isFailure(answer)) return answer.error
    operating.patch({ news: newsOf(answer.act) })
    await readState()
    return null
  } catch (fault) {
    return walletFailure(fault).error
  }
}

function newsOf({ act, target, decidedAt, result }: ActRecord): string {
  const what = `${act} ${target}`
  if (decidedAt === null) return `Proposed: ${what}. Another operator has to confirm it.`
  return `${what}: ${result?.message ?? 'accepted; it will be carried out as soon as possible.'}`
}

async function connectAndSign(source: Source): Promise<SignedIn | Failure> {
  try {
    const wallet = await connect(source)
    const query = { action: 'sign-in', wallet: wallet.address }
    const asked = await get<z.infer<typeof OperatorMessageAnswer>>(PATH, query)
    if (isFailure(asked)) return asked
    const { message, issuedAt, scope } = asked
    // A signature made here must be worthless elsewhere.
    if (scope.site !== location.origin) {
      return fail('wallet', `Operators sign in at ${scope.site}/operate.`)
    }
    const signature = await wallet.signMessage(message)
    if (source.kind === 'injected') rememberWallet(source.wallet)
    return { wallet, scope, authorization: `Wallet ${wallet.address}.${issuedAt}.${signature}` }
  } catch (fault) {
    return walletFailure(fault)
  }
}

async function connect(source: Source): Promise<Wallet> {
  if (source.kind === 'injected') return injectedWallet(source.wallet.provider)
  const { developmentWallet } = await import('../wallet/development.ts')
  return developmentWallet(source.operator)
}
