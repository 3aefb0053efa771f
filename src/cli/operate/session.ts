import type { PrivateKeyAccount } from 'viem/accounts'
import type { z } from 'zod'
import type {
  JournalAnswer,
  OperatorMessageAnswer,
  StateAnswer,
} from '../../api/operator/answers-schema.ts'
import type { JournalEntry } from '../../operator/journal.ts'
import type { ActScope } from '../../operator/typed-data.ts'
import type { Client } from '../shared/client.ts'
import { CommandError } from '../shared/terminal.ts'

export type State = z.infer<typeof StateAnswer>

const PATH = '/api/operate'

/** Any wallet may ask for a message; its scope is the same for all. */
const NOBODY = '0x0000000000000000000000000000000000000000'

/**
 * Returns what acts for the service are signed for.
 * @throws CommandError if it asks for signatures that are worth something at another site
 */
export async function readScope(client: Client): Promise<ActScope> {
  return (await askMessage(client, NOBODY)).scope
}

/** An operator who has signed in to look. */
export class Session {
  readonly scope: ActScope
  readonly #client: Client
  readonly headers: { authorization: string }

  private constructor(client: Client, scope: ActScope, authorization: string) {
    this.#client = client
    this.scope = scope
    this.headers = { authorization }
  }

  static async signIn(client: Client, account: PrivateKeyAccount): Promise<Session> {
    const { address } = account
    const { message, issuedAt, scope } = await askMessage(client, address)
    const signature = await account.signMessage({ message })
    return new Session(client, scope, `Wallet ${address}.${issuedAt}.${signature}`)
  }

  state(): Promise<State> {
    return this.#client.get(PATH, {}, this.headers)
  }

  /** Makes a call that any operator may make. */
  ask<T>(path: string, query: Record<string, string> = {}): Promise<T> {
    return this.#client.get(`${PATH}${path}`, query, this.headers)
  }

  /** Returns the whole journal. */
  async journal(): Promise<JournalEntry[]> {
    const all: JournalEntry[] = []
    for (;;) {
      const query = { action: 'journal', after: String(all.at(-1)?.number ?? 0) }
      const { entries } = await this.#client.get<z.infer<typeof JournalAnswer>>(
        PATH,
        query,
        this.headers,
      )
      if (entries.length === 0) return all
      all.push(...(entries as JournalEntry[]))
    }
  }
}

/** Returns what lets a call about the house's money pass: the monitor's token, or an operator's sign-in. */
export async function moneyHeaders(
  client: Client,
  signer: () => PrivateKeyAccount,
): Promise<Record<string, string>> {
  const token = process.env['METRICS_TOKEN']
  if (token) return { authorization: `Bearer ${token}` }
  return (await Session.signIn(client, signer())).headers
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
    `The service at ${origin} asks for signatures for ${answer.scope.site}. If that is your site, pass it as --url.`,
  )
}
