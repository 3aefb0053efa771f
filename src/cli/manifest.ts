import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAddress, type Address } from 'viem'
import { z } from 'zod'
import type { DevAccount } from './dev-players.ts'
import { CommandError } from './terminal.ts'

export const PROJECT_DIR = join(import.meta.dirname, '../..')
export const MANIFEST = '.dev/manifest.json'

const PATH = join(PROJECT_DIR, MANIFEST)

/** What an outside client needs in order to play at the service of `npm run dev`. */
export interface Manifest {
  baseUrl: string
  chainId: number
  rpcUrl: string
  domain: string
  origin: string
  contracts: { vault: Address; usdg: Address }
  owner: DevAccount
  relayer: DevAccount
  players: DevAccount[]
}

/** A vault contract and a node to reach it through. */
export interface VaultAccess {
  rpcUrl: string
  chainId: number
  /** The vault's address. */
  address: Address
  usdg: Address
}

const address = z.custom<Address>((value) => typeof value === 'string' && isAddress(value))
const Read = z.object({
  baseUrl: z.url(),
  chainId: z.int(),
  rpcUrl: z.url(),
  contracts: z.object({ vault: address, usdg: address }),
})

/** Leaves the manifest, whole or not at all: whoever waits for it can play when it is there. */
export async function writeManifest(manifest: Manifest): Promise<void> {
  await mkdir(join(PROJECT_DIR, '.dev'), { recursive: true })
  await writeFile(`${PATH}.new`, `${JSON.stringify(manifest, null, 2)}\n`)
  await rename(`${PATH}.new`, PATH)
}

export async function removeManifest(): Promise<void> {
  await rm(PATH, { force: true })
}

/**
 * The vault behind a service of this checkout; null where no manifest names this service.
 * @throws CommandError where the manifest is not one
 */
export async function findVault({ origin }: URL): Promise<VaultAccess | null> {
  let text: string
  try {
    text = await readFile(PATH, 'utf8')
  } catch {
    return null
  }
  const parsed = Read.safeParse(parseJson(text))
  if (!parsed.success) {
    throw new CommandError(`${MANIFEST} is no manifest of npm run dev: remove it, or start again.`)
  }
  const { baseUrl, chainId, rpcUrl, contracts } = parsed.data
  if (new URL(baseUrl).origin !== origin) return null
  return { rpcUrl, chainId, address: contracts.vault, usdg: contracts.usdg }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
