import { keccak256, toHex, type Address, type Hash, type Hex } from 'viem'
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { signInMessage } from '../../src/auth/message.ts'
import { operatorMessage } from '../../src/auth/operator-message.ts'
import { actHash, actScope } from '../../src/chain/operator-act.ts'
import { permissionHash, permissionScope } from '../../src/chain/permission.ts'
import { withdrawalHash } from '../../src/chain/vault.ts'
import { ChainAccount } from '../../src/cli/shared/chain-account.ts'
import {
  devOperator,
  devOwner,
  devPlayers,
  devProtocolWallet,
} from '../../src/cli/shared/dev-players.ts'
import { dayAt } from '../../src/core/utc-day.ts'
import type { Token } from '../../src/money/token.ts'
import type { Act } from '../../src/operator/act.ts'
import { tilePath, TILE_WIDTH } from '../../src/transparency/tiles.ts'
import type { Random } from '../live/random.ts'
import { SITE, type Service, type Setting } from '../live/setting.ts'

/** A wallet that can sign anything. */
export class Actor {
  readonly account: PrivateKeyAccount
  readonly authSig: Hex
  /** The numbers of its next withdrawal, play and permission, as last seen. */
  readonly next = { withdrawal: 0, play: 0, permission: 0 }

  private constructor(account: PrivateKeyAccount, authSig: Hex) {
    this.account = account
    this.authSig = authSig
  }

  static async signIn(privateKey: Hex): Promise<Actor> {
    const account = privateKeyToAccount(privateKey)
    const message = signInMessage(SITE, account.address, dayAt(Date.now()))
    return new Actor(account, await account.signMessage({ message }))
  }

  get wallet(): Address {
    return this.account.address
  }
}

const STRANGERS = 12

/** Of a day of the advertising slot, as in wrangler.toml. */
const AD_PRICE = 10n ** 16n

/** The sign-ins of operators are valid for fifteen minutes. */
const SIGN_IN_AGAIN_MS = 600_000

/** How many bets are remembered, to ask for their disclosure. */
const MAX_BETS = 200

/** Everybody who calls, and what they know of the service. */
export class Cast {
  readonly actors: Actor[]
  readonly owner: Actor
  /** Two, because acts on money take two. */
  readonly operators: Actor[]
  readonly #vault: Setting['vault']
  /** Transactions on chain: openings, rentals and others. */
  readonly payments: Hash[]
  /** The payments for a day of the advertising slot, by their payer. */
  readonly rents: ReadonlyMap<string, Hash>
  /** Links of posts that have an actor's share code, or not. */
  readonly postUrls: string[]
  /** Boxes bought on chain, and one that nobody has. */
  readonly boxIds: string[]
  /** The `authorization` headers of operators who have signed in. */
  signIns: readonly string[] = []
  #signedInAt = 0
  /** The paths of exported files, as the answers tell. */
  readonly exportFiles = ['/exports/v1/manifest/2026-01-01.json']
  readonly #bets: { actor: Actor; roundId: number }[] = []
  /** The number of the public log's entries, as last seen. */
  #logSize = 0
  roundId = 1

  private constructor(parts: {
    actors: Actor[]
    owner: Actor
    operators: Actor[]
    vault: Setting['vault']
    payments: Hash[]
    rents: ReadonlyMap<string, Hash>
    postUrls: string[]
    boxIds: string[]
  }) {
    this.actors = parts.actors
    this.owner = parts.owner
    this.operators = parts.operators
    this.#vault = parts.vault
    this.payments = parts.payments
    this.rents = parts.rents
    this.postUrls = parts.postUrls
    this.boxIds = parts.boxIds
  }

  static async gather({ vault, prizes, posts }: Setting, { baseUrl }: Service): Promise<Cast> {
    const players = devPlayers()
    const strangers = Array.from({ length: STRANGERS }, (_, number) =>
      keccak256(toHex(`fairhouse fuzz stranger ${number}`)),
    )
    const keys = [...players.map(({ privateKey }) => privateKey), ...strangers]
    const payments: Hash[] = []
    const prices = [10n ** 16n, 10n ** 16n, 10n ** 16n - 1n]
    const rents = new Map<Address, Hash>()
    for (const { address, privateKey } of players) {
      const payer = new ChainAccount(vault.rpcUrl, privateKey)
      const rent = { to: devProtocolWallet().address, value: AD_PRICE, data: '0x' } as const
      rents.set(address, (await payer.send(rent)).transactionHash)
      for (const value of prices) {
        const { transactionHash } = await payer.send({ to: prizes.pool, value, data: '0x' })
        payments.push(transactionHash)
      }
    }
    const actors = await Promise.all(keys.map((key) => Actor.signIn(key)))
    const buyers = players.map(({ privateKey }) => new ChainAccount(vault.rpcUrl, privateKey))
    const boxIds = (await Promise.all(buyers.map((buyer) => buyBoxes(baseUrl, buyer)))).flat()
    const written = await Promise.all(
      actors.map(async ({ wallet }, number) => {
        const { shareCode } = await read<{ shareCode: string }>(
          baseUrl,
          `/api/lootbox?wallet=${wallet}`,
        )
        return writePost(posts, `author${number % 8}`, `I play at ${shareCode}`)
      }),
    )
    return new Cast({
      actors,
      owner: await Actor.signIn(devOwner().privateKey),
      operators: await Promise.all(
        (['admin', 'treasurer'] as const).map((role) => Actor.signIn(devOperator(role).privateKey)),
      ),
      vault,
      payments,
      rents,
      postUrls: [...written, `${posts}/nobody/status/99`, `${posts}/`],
      boxIds: [...boxIds, '0', '81367'],
    })
  }

  /** The actors who set limits and remove them. */
  get limited(): Actor[] {
    return this.actors.slice(-4)
  }

  /** The actors who exclude themselves. */
  get excluded(): Actor[] {
    return this.actors.slice(-2)
  }

  /** Signs the operators in, and again before their sign-ins expire. */
  async keepSignedIn(): Promise<void> {
    const now = Date.now()
    if (now - this.#signedInAt < SIGN_IN_AGAIN_MS) return
    this.#signedInAt = now
    this.signIns = await Promise.all(
      this.operators.map(async ({ account, wallet }) => {
        const signature = await account.signMessage({
          message: operatorMessage(SITE, wallet, now),
        })
        return `Wallet ${wallet}.${now}.${signature}`
      }),
    )
  }

  /** Returns a bet whose round has ended; null before there is one. */
  endedBet(random: Random): { actor: Actor; roundId: number } | null {
    const ended = this.#bets.filter(({ roundId }) => roundId < this.roundId)
    return ended.length > 0 ? random.pick(ended) : null
  }

  /** Returns the path of a tile that the log has, full or partial. */
  tilePath(random: Random, level: 0 | 'entries'): string {
    const index = random.between(0, Math.floor(Math.max(0, this.#logSize - 1) / TILE_WIDTH))
    const width = Math.min(TILE_WIDTH, this.#logSize - index * TILE_WIDTH)
    return `/log/${tilePath({ level, index, width })}`
  }

  /** Notes the size of the log and the names of exported files, from the text of an answer. */
  learnFiles(path: string, text: string): void {
    if (path === '/log/checkpoint') {
      this.#logSize = Math.max(this.#logSize, Number(text.split('\n')[1]) || 0)
    }
    if (path !== '/api/history/exports' && !path.startsWith('/exports/v1/manifest/')) return
    for (const [name] of text.matchAll(/\b[a-z]+\/\d{4}-\d\d-\d\d\.json(?:l\.gz)?\b/g)) {
      const file = `/exports/v1/${name}`
      if (!this.exportFiles.includes(file)) this.exportFiles.push(file)
    }
  }

  /** Notes the bet that an actor has placed. */
  learnBet(actor: Actor, body: unknown): void {
    const { ok, roundId } = body as { ok?: unknown; roundId?: unknown }
    if (ok !== true || typeof roundId !== 'number') return
    this.#bets.push({ actor, roundId })
    if (this.#bets.length > MAX_BETS) this.#bets.shift()
  }

  /** Notes what an answer says about the next round, play, withdrawal and permission. */
  learn(actor: Actor | null, path: string, body: unknown): void {
    const told = body as {
      roundId?: unknown
      nonce?: unknown
      me?: { nonce?: unknown }
      fairness?: { nonce?: unknown }
      nextNonce?: unknown
      permission?: { nonce?: unknown }
    } | null
    if (typeof told !== 'object' || told === null) return
    if (path.startsWith('/api/crash') && typeof told.roundId === 'number') {
      this.roundId = Math.max(this.roundId, told.roundId)
    }
    if (!actor) return
    if (typeof told.me?.nonce === 'number') actor.next.withdrawal = told.me.nonce
    if (typeof told.fairness?.nonce === 'number') actor.next.play = told.fairness.nonce
    if (path.startsWith('/api/entropy') && typeof told.nonce === 'number') {
      actor.next.play = told.nonce + 1
    }
    if (typeof told.permission?.nonce === 'number') actor.next.permission = told.permission.nonce
  }

  signWithdrawal(
    actor: Actor,
    { token, amountWei, nonce }: { token: Token; amountWei: string; nonce: number },
  ): Promise<Hex> {
    const order = { player: actor.wallet, token, amountWei: BigInt(amountWei), nonce }
    return actor.account.sign({ hash: withdrawalHash(this.#vault, order) })
  }

  signGrant(
    actor: Actor,
    grant: {
      partner: string
      token: Token
      maxPerDayWei: string
      expiresAt: number
      nonce: number
    },
  ): Promise<Hex> {
    const scope = permissionScope({ chainId: SITE.chainId, vault: this.#vault as never })
    const wish = { ...grant, maxPerDayWei: BigInt(grant.maxPerDayWei) }
    return actor.account.sign({ hash: permissionHash(scope, actor.wallet, wish) })
  }

  signAct({ operator, act, target, reason, expiresAt }: Act & { operator: string }): Promise<Hex> {
    const scope = actScope({ operatorSite: SITE, vault: this.#vault as never })
    const hash = actHash(scope, { act, target, reason, expiresAt })
    const signer = this.operators.find(({ wallet }) => wallet === operator) ?? this.owner
    return signer.account.sign({ hash })
  }
}

const BOXES_EACH = 3

/** Buys boxes on chain, as the service tells how, and returns their ids. */
async function buyBoxes(baseUrl: string, buyer: ChainAccount): Promise<string[]> {
  const { address: wallet } = buyer
  for (let box = 0; box < BOXES_EACH; box++) {
    const body = JSON.stringify({ action: 'buy', kind: 0, wallet })
    const { tx } = await read<{ tx: { to: Address; data: Hex; value: string } }>(
      baseUrl,
      '/api/lootbox-nft',
      { method: 'POST', headers: { 'content-type': 'application/json' }, body },
    )
    const { to, data, value } = tx
    await buyer.send({ to, data, value: BigInt(value) })
  }
  const { boxes } = await read<{ boxes: { boxId: string }[] }>(
    baseUrl,
    `/api/lootbox-nft?wallet=${wallet}`,
  )
  return boxes.map(({ boxId }) => boxId)
}

async function read<T>(baseUrl: string, path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(new URL(path, baseUrl), init)
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

async function writePost(site: string, author: string, text: string): Promise<string> {
  const body = new URLSearchParams({ author, text })
  const response = await fetch(`${site}/posts`, { method: 'POST', body, redirect: 'manual' })
  return new URL(response.headers.get('location') ?? '', site).href
}
