import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import {
  concatHex,
  createWalletClient,
  encodeAbiParameters,
  getContractAddress,
  hashMessage,
  http,
  keccak256,
  padHex,
  publicActions,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Client } from '../../src/cli/shared/client.ts'
import { DEV_PLAYERS, devPlayer } from '../../src/cli/shared/dev-players.ts'
import { freePort } from '../../src/cli/shared/port.ts'
import { startService, type StartedService } from './started-service.ts'

/**
 * A wallet contract in 24 bytes: isValidSignature(hash, signature) answers the ERC-1271 magic value
 * if the signature is the hash itself, and zero otherwise.
 */
const WALLET_RUNTIME = '60043560643514631626ba7e60e01b0260005260206000f3'
const WALLET_BYTECODE: Hex = `0x601880600b6000396000f3${WALLET_RUNTIME}`

/** A wallet contract that accepts every signature, as a Safe does for a message that it has approved on chain. */
const OPEN_BYTECODE: Hex = '0x601080600b6000396000f3631626ba7e60e01b60005260206000f3'

/** The deterministic deployment proxy that anvil starts with, and ERC-6492's suffix. */
const DEPLOYER: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const ERC_6492_SUFFIX: Hex = `0x${'6492'.repeat(16)}`

let chain: ChildProcess
let service: StartedService
let deployed: Address
let open: Address

beforeAll(async () => {
  const port = await freePort()
  const rpcUrl = `http://127.0.0.1:${port}`
  const anvil = join(import.meta.dirname, '../../node_modules/.bin/anvil')
  chain = spawn(anvil, ['--port', String(port), '--silent'], { stdio: 'ignore' })
  const account = privateKeyToAccount(devPlayer(DEV_PLAYERS - 1).privateKey)
  const transport = http(rpcUrl, { retryCount: 50, retryDelay: 100 })
  const client = createWalletClient({ account, transport }).extend(publicActions)
  await client.getBlockNumber()
  const deploy = async (data: Hex) => {
    const hash = await client.sendTransaction({ data, chain: null })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash })
    if (!contractAddress) throw new Error('the wallet contract was not deployed')
    return contractAddress
  }
  deployed = await deploy(WALLET_BYTECODE)
  open = await deploy(OPEN_BYTECODE)
  service = await startService({ CHAIN_RPC_URL: rpcUrl })
})

afterAll(async () => {
  chain?.kill()
  await service?.stop()
})

async function signIn(wallet: Address, sign: (message: string) => Hex): Promise<string> {
  const client = new Client(service.baseUrl)
  const { message } = await client.get<{ message: string }>('/api/auth/message', { wallet })
  const query = `wallet=${wallet}&authSig=${sign(message)}`
  const response = await fetch(`${service.baseUrl}/api/crash?${query}`)
  const answer = await response.json<{ error?: { code: string } }>()
  return answer.error?.code ?? 'accepted'
}

describe('a smart-contract wallet', () => {
  it('signs in if its contract agrees, and not otherwise', async () => {
    expect(await signIn(deployed, (message) => hashMessage(message))).toBe('accepted')
    expect(await signIn(deployed, () => hashMessage('another'))).toBe('auth_invalid')
    expect(await signIn(deployed, () => `0x${'11'.repeat(65)}`)).toBe('auth_invalid')
  })

  it('signs in with a signature of any length, even an empty one', async () => {
    for (const signature of [
      '0x',
      '0x01',
      `0x${'01'.repeat(31)}`,
      `0x${'01'.repeat(32)}`,
    ] as const) {
      expect(await signIn(open, () => signature), signature).toBe('accepted')
      expect(await signIn(deployed, () => signature), signature).toBe('auth_invalid')
    }
  })

  it('signs in before it is deployed', async () => {
    const salt = padHex('0x1')
    const undeployed = getContractAddress({
      opcode: 'CREATE2',
      from: DEPLOYER,
      salt,
      bytecodeHash: keccak256(WALLET_BYTECODE),
    })
    const wrapped = (message: string) =>
      concatHex([
        encodeAbiParameters(
          [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
          [DEPLOYER, concatHex([salt, WALLET_BYTECODE]), hashMessage(message)],
        ),
        ERC_6492_SUFFIX,
      ])
    expect(await signIn(undeployed, wrapped)).toBe('accepted')
    expect(await signIn(undeployed, () => wrapped('another'))).toBe('auth_invalid')
  })

  it('is not signed in with a signature that is not whole bytes', async () => {
    for (const digits of [63, 127, 131]) {
      expect(await signIn(deployed, () => `0x${'1'.repeat(digits)}`), `${digits} digits`).toBe(
        'auth_invalid',
      )
    }
  })

  it('is never the zero address, which an invalid signature recovers to', async () => {
    for (const signature of [`0x${'00'.repeat(64)}1b`, `0x${'11'.repeat(65)}`] as const) {
      expect(await signIn(zeroAddress, () => signature)).toBe('auth_invalid')
    }
  })

  it('gets an error that the chain is unreachable', async () => {
    chain.kill()
    await new Promise((resolve) => chain.once('exit', resolve))
    expect(await signIn(deployed, () => hashMessage('another'))).toBe('chain_unavailable')
  })
})
