import type { PrivateKeyAccount } from 'viem/accounts'
import type { z } from 'zod'
import type {
  EntriesAnswer,
  JournalAnswer,
  OperatorMessageAnswer,
  StateAnswer,
  VerificationAnswer,
} from '../../api/operator/answers-schema.ts'
import { OPERATOR_SIGN_IN_MS } from '../../auth/operator-message.ts'
import { printable } from '../../core/printable.ts'
import type { OperatorJournalEntry } from '../../operator/journal.ts'
import type { ActScope } from '../../operator/typed-data.ts'
import type { Client } from '../shared/client.ts'
import { CommandError, printableIn } from '../shared/terminal.ts'

export type State = z.infer<typeof StateAnswer>

const PATH = '/api/operate'

/** Any wallet may ask for a message; its scope is the same for all. */
const NOBODY = '0x0000000000000000000000000000000000000000'

/**
 * Returns the scope that acts for the service are signed for.
 * @throws CommandError if it asks for signatures that are worth something at another site
 */
export async function readScope(client: Client): Promise<ActScope> {
  return (await askMessage(client, NOBODY)).scope
}

/** An operator who has signed in to look. */
export class Session {
  readonly scope: ActScope
  readonly #client: Client
  readonly #account: PrivateKeyAccount
  #signIn: SignIn

  private constructor(client: Client, account: PrivateKeyAccount, first: SignIn) {
    this.#client = client
    this.#account = account
    this.#signIn = first
    this.scope = first.scope
  }

  static async signIn(client: Client, account: PrivateKeyAccount): Promise<Session> {
    return new Session(client, account, await signIn(client, account))
  }

  state(): Promise<State> {
    return this.ask('')
  }

  /** Has the next journals verified. */
  verify(after: string | null): Promise<z.infer<typeof VerificationAnswer>> {
    return this.#read('verify', after)
  }

  /** Returns the next entries of all journals. */
  entries(after: string | null): Promise<z.infer<typeof EntriesAnswer>> {
    return this.#read('journals', after)
  }

  #read<T>(action: string, after: string | null): Promise<T> {
    return this.ask('', { action, ...(after !== null && { after }) })
  }

  /** Makes a call whose answer is shown. */
  async askToShow<T>(path: string, query?: Record<string, string>): Promise<T> {
    return printableIn(await this.ask<T>(path, query))
  }

  /** Makes a call that any operator may make. */
  async ask<T>(path: string, query: Record<string, string> = {}): Promise<T> {
    return this.#client.get<T>(`${PATH}${path}`, query, await this.headers())
  }

  /** Signs in again before the sign-in expires: a command that reads all journals takes longer. */
  async headers(): Promise<{ authorization: string }> {
    if (Date.now() - this.#signIn.at > OPERATOR_SIGN_IN_MS / 2) {
      this.#signIn = await signIn(this.#client, this.#account)
    }
    const { authorization } = this.#signIn
    return { authorization }
  }

  /** Returns the whole journal. */
  async journal(): Promise<OperatorJournalEntry[]> {
    const all: OperatorJournalEntry[] = []
    for (;;) {
      const after = String(all.at(-1)?.number ?? 0)
      const { entries } = await this.#read<z.infer<typeof JournalAnswer>>('journal', after)
      if (entries.length === 0) return all
      all.push(...(entries as OperatorJournalEntry[]))
    }
  }
}

interface SignIn {
  scope: ActScope
  authorization: string
  /** By this machine's clock, in unix milliseconds. */
  at: number
}

async function signIn(client: Client, account: PrivateKeyAccount): Promise<SignIn> {
  const at = Date.now()
  const { address } = account
  const { message, issuedAt, scope } = await askMessage(client, address)
  const signature = await account.signMessage({ message })
  return { scope, authorization: `Wallet ${address}.${issuedAt}.${signature}`, at }
}

/** Returns the credentials of a call about the house's money: the monitor's token, or an operator's sign-in. */
export async function moneyHeaders(
  client: Client,
  signer: () => PrivateKeyAccount,
): Promise<Record<string, string>> {
  const token = process.env['METRICS_TOKEN']
  if (token) return { authorization: `Bearer ${token}` }
  const session = await Session.signIn(client, signer())
  return session.headers()
}

async function askMessage(
  client: Client,
  wallet: string,
): Promise<z.infer<typeof OperatorMessageAnswer>> {
  const answer = await client.get<z.infer<typeof OperatorMessageAnswer>>(PATH, {
    action: 'sign-in',
    wallet,
  })
  const { origin, host } = client.baseUrl
  const isOurs = answer.message.startsWith(`${host} wants you`) && answer.scope.site === origin
  if (isOurs) return answer
  throw new CommandError(
    `The service at ${origin} asks for signatures for ${printable(answer.scope.site)}. If that is your site, pass it as --url.`,
  )
}
