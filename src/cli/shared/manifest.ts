import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAddress, type Address } from 'viem'
import { z } from 'zod'
import type { DevPartner } from './dev-partners.ts'
import type { DevAccount } from './dev-players.ts'
import { jsonIn } from './json.ts'
import { CommandError } from './terminal.ts'

export const PROJECT_DIR = join(import.meta.dirname, '../../..')
export const MANIFEST = '.dev/manifest.json'

const PATH = join(PROJECT_DIR, MANIFEST)

const partner = z.object({
  id: z.string(),
  secret: z.string(),
  next: z.object({ secret: z.string() }).optional(),
})
const address = z.custom<Address>((value) => typeof value === 'string' && isAddress(value))
const Read = z.object({
  baseUrl: z.url(),
  chainId: z.int(),
  rpcUrl: z.url(),
  partner,
  otherPartner: partner,
  contracts: z.object({
    vault: address,
    usdg: address,
    boxNft: address,
    award: address,
    rewardToken: address,
    stock: address,
  }),
  lootbox: z.object({ pool: address }),
})
type Read = z.infer<typeof Read>

/** The facts that an outside client needs to play at the service of `npm run dev`. */
export interface Manifest extends Read {
  domain: string
  origin: string
  /** The wallet bridge's partner, and a second one to test that partners are kept apart. */
  partner: DevPartner
  otherPartner: DevPartner
  contracts: Read['contracts'] & { router: Address }
  /** The local site with eligible posts for free spins. */
  posts: string
  /** The recipient of ad payments. */
  protocolWallet: Address
  owner: DevAccount
  relayer: DevAccount
  players: DevAccount[]
}

/** A vault contract and a node of its chain. */
export type VaultAccess = Pick<Read, 'rpcUrl' | 'chainId'> & { address: Address; usdg: Address }

/** The contracts of lootbox and boxes, and a node of their chain. */
export type PrizeAccess = NonNullable<Awaited<ReturnType<typeof findPrizes>>>

/** Writes the manifest atomically, so that clients can play as soon as it exists. */
export async function writeManifest(manifest: Manifest): Promise<void> {
  await mkdir(join(PROJECT_DIR, '.dev'), { recursive: true })
  await writeFile(`${PATH}.new`, `${JSON.stringify(manifest, null, 2)}\n`)
  await rename(`${PATH}.new`, PATH)
}

export async function removeManifest(): Promise<void> {
  await rm(PATH, { force: true })
}

/**
 * Returns the vault of a service of this checkout; null if the manifest isn't for this service.
 * @throws CommandError if the manifest is invalid
 */
export async function findVault(baseUrl: URL): Promise<VaultAccess | null> {
  const manifest = await findManifest(baseUrl)
  if (!manifest) return null
  const { rpcUrl, chainId, contracts } = manifest
  return { rpcUrl, chainId, address: contracts.vault, usdg: contracts.usdg }
}

/** Returns the contracts of lootbox and boxes, like {@link findVault}. */
export async function findPrizes(baseUrl: URL) {
  const manifest = await findManifest(baseUrl)
  if (!manifest) return null
  const { rpcUrl, chainId, contracts, lootbox } = manifest
  const { rewardToken, stock, boxNft, award } = contracts
  return { rpcUrl, chainId, pool: lootbox.pool, rewardToken, stock, boxNft, award }
}

/** Returns this checkout's service and its partners; null if none is running. */
export async function findPartners() {
  const manifest = await readManifest()
  if (!manifest) return null
  const { baseUrl, partner: own, otherPartner: other } = manifest
  return { baseUrl, partner: own, other, nextSecret: own.next?.secret ?? null }
}

/** Where the service of `npm run dev` is, and the partners that it knows. */
export type LocalPartners = NonNullable<Awaited<ReturnType<typeof findPartners>>>

/** Returns the base URL of this checkout's service; null if none is running, or the manifest is invalid. */
export async function findBaseUrl(): Promise<string | null> {
  const manifest = await readManifest().catch(() => null)
  return manifest && manifest.baseUrl
}

async function findManifest({ origin }: URL) {
  const manifest = await readManifest()
  return manifest && new URL(manifest.baseUrl).origin === origin ? manifest : null
}

async function readManifest(): Promise<Read | null> {
  let text: string
  try {
    text = await readFile(PATH, 'utf8')
  } catch {
    return null
  }
  const parsed = Read.safeParse(jsonIn(text))
  if (parsed.success) return parsed.data
  throw new CommandError(
    `${MANIFEST} is not a valid manifest of npm run dev. Remove it, or start npm run dev again.`,
  )
}
