import { join } from 'node:path'
import { encodeFunctionData, getContractAddress, type Address } from 'viem'
import { tokenAbi } from '../../chain/foreign-abi.ts'
import { TOKENS, type PerToken } from '../../money/token.ts'
import { LOCAL_CHAIN_ID } from '../dev/local-chain.ts'
import { ChainAccount } from '../shared/chain-account.ts'
import { ChainWallet } from '../shared/chain-wallet.ts'
import type { DevAccount } from '../shared/dev-players.ts'
import type { VaultAccess } from '../shared/manifest.ts'
import { Site } from './site.ts'

/** A vault on a fresh chain. */
export interface Deployment extends VaultAccess {
  /** The block of the vault's deployment. */
  startBlock: number
}

/** Returns the command that compiles the contracts, without their tests. */
export function forgeBuild(projectDir: string): string[] {
  return [process.execPath, join(projectDir, 'contracts/forge.mjs'), 'build', '--skip', 'test']
}

/** Returns the address of the award contract, the only contract that a BoxNft deploys. */
export function awardOf(boxNft: Address): Address {
  return getContractAddress({ from: boxNft, nonce: 1n })
}

/** Deploys the test USDG and the vault, both owned by the owner. */
export async function deployVault(
  projectDir: string,
  rpcUrl: string,
  { owner, relayer }: { owner: DevAccount; relayer: DevAccount },
): Promise<Deployment> {
  const site = new Site(projectDir, rpcUrl, owner)
  const usdg = await site.deploy('TestUSDG', [owner.address])
  const vault = await site.deploy('Vault', [owner.address, relayer.address, usdg.address])
  const startBlock = Number(vault.block)
  return { rpcUrl, chainId: LOCAL_CHAIN_ID, address: vault.address, usdg: usdg.address, startBlock }
}

/** Mints test USDG for accounts. Amounts in smallest units. */
export async function mintUsdg(
  { rpcUrl, usdg }: VaultAccess,
  owner: DevAccount,
  amounts: { to: Address; amountWei: bigint }[],
): Promise<void> {
  const account = new ChainAccount(rpcUrl, owner.privateKey)
  for (const { to, amountWei } of amounts) {
    const args = [to, amountWei] as const
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args })
    await account.send({ to: usdg, value: 0n, data })
  }
}

/** Deposits for each player, from the player's own tokens. @param amounts in smallest units */
export async function depositForAll(
  vault: VaultAccess,
  players: DevAccount[],
  amounts: PerToken<bigint>,
): Promise<void> {
  await Promise.all(
    players.map(async ({ privateKey }) => {
      const wallet = new ChainWallet(vault, privateKey)
      // In sequence, because an account's transactions are numbered.
      for (const token of TOKENS) await wallet.deposit(token, amounts[token])
    }),
  )
}
