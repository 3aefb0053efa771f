import {
  concatHex,
  encodeAbiParameters,
  getContractAddress,
  numberToHex,
  parseAbiParameters,
  serializeErc6492Signature,
  size,
  type Address,
  type Hex,
} from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { actOf, OPERATORS } from '../workers/operator.ts'
import { get, now, pass, Player, post, outcomeOf, codeOf } from '../workers/support.ts'
import {
  account,
  AWARD_ADDRESS,
  BOX_NFT_ADDRESS,
  FEED_ADDRESS,
  OWNER,
  POOL_ADDRESS,
  REWARD_TOKEN_ADDRESS,
  STOCK_ADDRESS,
  VAULT_ADDRESS,
} from './accounts.ts'
import { day, pay as payForAd, rent } from './ads.ts'
import { open } from './lootbox.ts'
import { transfer } from './payments.ts'
import { chain, chipsOf, deploy, deposit, look, useChain, withdraw, work } from './support.ts'

useChain()

const NODE = 'chain.test'
const alice = new Player(0)
/** The suffixes of ERC-6492 and ERC-8010. */
const ERC_6492: Hex = `0x${'6492'.repeat(16)}`
const ERC_8010: Hex = `0x${'8010'.repeat(16)}`

/** Outgoing traffic of the service: the hosts it asked, and its calls to the node. */
interface Traffic {
  hosts: Set<string>
  calls: { method: string; params: { gas?: Hex }[] }[]
}

/** Refuses every host but the node, and records what was asked. */
function watchTraffic(): Traffic {
  const traffic: Traffic = { hosts: new Set(), calls: [] }
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const { hostname } = new URL(url)
    traffic.hosts.add(hostname)
    if (hostname !== NODE) return new Response('refused', { status: 502 })
    traffic.calls.push(...[JSON.parse(init?.body as string)].flat())
    return real(input, init)
  })
  return traffic
}

let lookup: Address

beforeEach(async () => {
  await deploy('OffchainLookupWallet', [])
  lookup = getContractAddress({ from: OWNER.address, nonce: 2n })
  expect(await chain.getCode({ address: lookup })).toBeDefined()
})

/** Gives an address code that refers its callers elsewhere. */
async function turn(address: Address): Promise<void> {
  const bytecode = await chain.getCode({ address: lookup })
  await chain.setCode({ address, bytecode: bytecode ?? '0x' })
}

/** Returns a signature that carries the deployment of a wallet (ERC-6492). */
function predeploy(signature: Hex): Hex {
  const fields = parseAbiParameters('address, bytes, bytes')
  return concatHex([encodeAbiParameters(fields, [lookup, '0x12345678', signature]), ERC_6492])
}

/** Returns a signature of a key that has delegated to a contract (EIP-7702, ERC-8010). */
async function delegate(player: Player, signature: Hex): Promise<Hex> {
  const { address } = player.account
  await chain.setCode({ address, bytecode: concatHex(['0xef0100', lookup]) })
  const fields = parseAbiParameters(
    '(uint256 chainId, address delegation, uint256 nonce, uint8 yParity, uint256 r, uint256 s), address to, bytes data',
  )
  const authorization = {
    chainId: 31_337n,
    delegation: lookup,
    nonce: 0n,
    yParity: 0,
    r: 1n,
    s: 1n,
  }
  const suffix = encodeAbiParameters(fields, [authorization, address, '0x'])
  return concatHex([signature, suffix, numberToHex(size(suffix), { size: 32 }), ERC_8010])
}

const anything: Hex = `0x${'11'.repeat(65)}`

const SIGNATURES: [string, () => Promise<{ wallet: Address; authSig: Hex }>][] = [
  ['of a contract (ERC-1271)', async () => ({ wallet: lookup, authSig: anything })],
  [
    'of a wallet that is not deployed yet (ERC-6492)',
    async () => ({ wallet: account(3).address, authSig: predeploy(anything) }),
  ],
  [
    'of a deployed wallet (ERC-6492)',
    async () => ({ wallet: lookup, authSig: predeploy(anything) }),
  ],
  [
    'of an account that has delegated to a contract (ERC-8010)',
    async () => ({ wallet: alice.account.address, authSig: await delegate(alice, anything) }),
  ],
]

const ACTIONS: [string, string, object][] = [
  ['/api/crash', 'bet', { token: 'USDG', amountWei: '1000000' }],
  ['/api/crash', 'cashout', {}],
  ['/api/crash', 'withdraw', { token: 'USDG', amountWei: '1', nonce: 0, signature: anything }],
  ['/api/crash', 'house-topup', {}],
  ['/api/entropy', 'play', {}],
  ['/api/lootbox', 'share-spin', { postUrl: 'https://posts.test/a/status/1' }],
  ['/api/ad-rental', 'rent', {}],
]

describe('the service asks only the node when a contract refers it elsewhere (ERC-3668)', () => {
  it.each(SIGNATURES)('and a sign-in is %s', async (_whose, signIn) => {
    const credentials = await signIn()
    const { hosts, calls } = watchTraffic()
    expect(
      outcomeOf(await get(`/api/crash?${new URLSearchParams({ ...credentials }).toString()}`)),
    ).toEqual([401, 'auth_invalid'])
    for (const [path, action, fields] of ACTIONS) {
      const { body } = await post(path, { action, ...credentials, ...fields })
      expect([path, action, body.error?.code]).toEqual([path, action, 'auth_invalid'])
    }
    expect(calls.length).toBeGreaterThan(0)
    expect([...hosts]).toEqual([NODE])
  })

  it('and a withdrawal is signed by the contract', async () => {
    await deposit(alice, 'USDG', 1_000_000n)
    await chipsOf(alice)
    await turn(alice.account.address)
    const { hosts } = watchTraffic()
    expect(codeOf(await withdraw(alice, { amountWei: 1n, signature: anything }))).toBe(
      'signature_invalid',
    )
    expect([...hosts]).toEqual([NODE])
  })

  it("and a partner's permission is signed by the contract", async () => {
    const credentials = { wallet: alice.wallet, authSig: await alice.authSig() }
    await turn(alice.account.address)
    const { hosts } = watchTraffic()
    const expiresAt = Math.floor(now() / 1_000) + 600
    const terms = { partner: 'demo', token: 'USDG', maxPerDayWei: '1', expiresAt, nonce: 0 }
    const body = { action: 'grant', ...credentials, ...terms, signature: anything }
    expect(codeOf(await post('/api/wallet/permission', body))).toBe('signature_invalid')
    expect([...hosts]).toEqual([NODE])
  })

  it("and an operator's act is signed by the contract", async () => {
    const operator = OPERATORS.treasurer.address
    await turn(operator)
    const { hosts } = watchTraffic()
    const act = actOf({ act: 'unfreeze', target: alice.wallet })
    const { status } = await post('/api/operate', { ...act, operator, signature: anything })
    expect(status).toBeGreaterThanOrEqual(400)
    expect([...hosts]).toEqual([NODE])
  })

  it("but not when an operator's wallet is not configured as a contract", async () => {
    const operator = OPERATORS.admin.address
    await turn(operator)
    const { hosts } = watchTraffic()
    const act = actOf({ act: 'mode', target: 'crash=closed' })
    const answer = await post('/api/operate', { ...act, operator, signature: anything })
    expect(codeOf(answer)).toBe('signature_invalid')
    expect([...hosts]).toEqual([])
  })

  it("and the contract is at the vault's address", async () => {
    await deposit(alice, 'USDG', 1_000_000n)
    await chipsOf(alice)
    const real = await chain.getCode({ address: VAULT_ADDRESS })
    await turn(VAULT_ADDRESS)
    const { hosts } = watchTraffic()
    await new Player(8).act('house-topup')
    expect((await withdraw(alice, { amountWei: 1n })).status).toBe(200)
    await work(alice)
    expect([...hosts]).toEqual([NODE])
    vi.restoreAllMocks()
    await chain.setCode({ address: VAULT_ADDRESS, bytecode: real ?? '0x' })
  })

  it('and the contract is at the addresses of boxes, award, pool, tokens and feeds', async () => {
    const txHash = await transfer(alice, { to: POOL_ADDRESS, value: 10n ** 16n })
    const adHash = await payForAd(alice)
    const contracts = [BOX_NFT_ADDRESS, AWARD_ADDRESS, POOL_ADDRESS, REWARD_TOKEN_ADDRESS]
    for (const address of [...contracts, STOCK_ADDRESS, FEED_ADDRESS]) await turn(address)
    await get('/api/lootbox')
    const { hosts } = watchTraffic()
    await get(`/api/lootbox-nft?wallet=${alice.wallet}`)
    await get('/api/lootbox-nft?boxId=1')
    await post('/api/lootbox-nft', { action: 'buy', kind: 0 })
    for (const action of ['reveal', 'claim']) await post('/api/lootbox-nft', { action, boxId: '1' })
    await open(txHash)
    await look()
    pass(2_000)
    await look()
    expect((await rent(alice, adHash, { date: day(1) })).status).toBe(200)
    expect([...hosts]).toEqual([NODE])
  })

  it('and a page calls the contract through the RPC proxy', async () => {
    const { hosts } = watchTraffic()
    const params = [{ to: lookup, data: '0x12345678' }, 'latest']
    const { body } = await post('/api/rpc', { jsonrpc: '2.0', id: 1, method: 'eth_call', params })
    expect(body.error).toBeDefined()
    expect([...hosts]).toEqual([NODE])
  })
})

describe('a deployed wallet', () => {
  const wallet = account(5).address
  /** It accepts any signature once somebody has called it, as if they had bought the right to sign. */
  const CODE =
    '0x60003560e01c631626ba7e146015576001600055005b600054631626ba7e60e01b0260005260206000f3'
  const wrapped = (signature: Hex) =>
    serializeErc6492Signature({ address: wallet, data: '0x12345678', signature })
  const signIn = async (authSig: Hex) =>
    (await get(`/api/crash?${new URLSearchParams({ wallet, authSig }).toString()}`)).status

  beforeEach(() => chain.setCode({ address: wallet, bytecode: CODE }))

  it('is not signed in by code that the caller has it run first', async () => {
    expect(await signIn(anything)).toBe(401)
    expect(await signIn(wrapped(anything))).toBe(401)
    expect(await signIn(concatHex(['0x1234', ERC_6492]))).toBe(401)
  })

  it('is signed in by a wrapped signature that it accepts', async () => {
    await chain.setStorageAt({ address: wallet, index: 0, value: numberToHex(1, { size: 32 }) })
    expect(await signIn(wrapped(anything))).toBe(200)
  })
})

describe('a signature check makes a bounded number of calls with bounded gas', () => {
  const MAX_GAS = 3_000_000
  const gasOf = ({ params: [call] }: Traffic['calls'][number]) => Number(call?.gas)

  it.each<[string, Hex]>([
    ['loops forever', '0x5b600056'],
    ['runs into an invalid instruction', '0xfe'],
    ['answers with 65,535 bytes', '0x61ffff6000f3'],
    ['reverts with 65,535 bytes', '0x61ffff6000fd'],
  ])('when a contract %s', async (_what, bytecode) => {
    await deposit(alice, 'USDG', 1_000_000n)
    await chipsOf(alice)
    const { address } = account(3)
    await chain.setCode({ address, bytecode })
    const { calls } = watchTraffic()
    expect(codeOf(await get(`/api/crash?wallet=${address}&authSig=${anything}`))).toBe(
      'auth_invalid',
    )
    expect(calls.map(({ method }) => method)).toEqual(['eth_call', 'eth_call'])
    for (const call of calls) expect(gasOf(call)).toBeLessThanOrEqual(MAX_GAS)

    await chain.setCode({ address: alice.account.address, bytecode })
    calls.length = 0
    expect(codeOf(await withdraw(alice, { amountWei: 1n, signature: anything }))).toBe(
      'signature_invalid',
    )
    const asked = calls.filter(({ method }) => !method.startsWith('anvil'))
    expect(asked.map(({ method }) => method)).toEqual(['eth_getCode', 'eth_call'])
    expect(gasOf(asked[1]!)).toBeLessThanOrEqual(500_000)
  })
})
