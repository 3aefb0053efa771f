import { env } from 'cloudflare:workers'
import {
  concatHex,
  getContractAddress,
  numberToHex,
  parseSignature,
  serializeSignature,
  toFunctionSelector,
  toHex,
  type Hex,
} from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { withdrawalHash } from '../../src/chain/vault.ts'
import { LEDGER_LIMIT_BYTES } from '../../src/ledger/capacity.ts'
import type { WithdrawalProgress } from '../../src/ledger/withdrawal.ts'
import type { Token } from '../../src/money/token.ts'
import { Platform } from '../workers/partner.ts'
import { codeOf, isBlankObject, Player, reportSize } from '../workers/support.ts'
import { OWNER, USDG_ADDRESS } from './accounts.ts'
import {
  asOwner,
  chain,
  chipsOf,
  deploy,
  depositor,
  freeze,
  fundHouse,
  look,
  noncesUsed,
  sentByRelayer,
  signWithdrawal,
  statusOf,
  tokenBalance,
  useChain,
  vaultConfig,
  withdraw,
  work,
  workToEnd,
} from './support.ts'

useChain()

const AMOUNT = 100_000_000n

it('a wallet whose journal is full can still deposit and withdraw', async () => {
  await reportSize(LEDGER_LIMIT_BYTES)
  const alice = await depositor(0, 'USDG', 2n * AMOUNT)
  expect(await chipsOf(alice)).toBe(2n * AMOUNT)
  expect((await withdraw(alice)).status).toBe(200)
  expect(await workToEnd(alice)).toBe('confirmed')
  expect(codeOf(await new Platform().transact(alice, '-1'))).toBe('ledger_full')
})

/** Has the node answer as if the vault had used no nonces, like one with its transactions on another branch. */
function nodeHidesNonces(): void {
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const answer = await real(input, init)
    const body = typeof init?.body === 'string' ? init.body : ''
    if (!body.includes(toFunctionSelector('nonces(address)').slice(2))) return answer
    const { id } = await answer.json<{ id: number }>()
    return Response.json({ jsonrpc: '2.0', id, result: numberToHex(0, { size: 32 }) })
  })
}

describe('a withdrawal', () => {
  it.each<[Token, bigint]>([
    ['ETH', 10n ** 18n],
    ['USDG', 100_000_000n],
  ])('of %s takes the chips at once and arrives on chain', async (token, amountWei) => {
    const alice = await depositor(0, token, 3n * amountWei)
    const before = await tokenBalance(alice.account.address, token)
    const { status, body } = await withdraw(alice, { token, amountWei })
    expect(status).toBe(200)
    expect(body).toEqual({
      ok: true,
      withdrawal: {
        nonce: 0,
        token,
        amountWei: amountWei.toString(),
        status: 'pending',
        txHash: null,
      },
      me: expect.objectContaining({ nonce: 1 }),
    })
    expect(body.me.chips[token]).toBe((2n * amountWei).toString())
    expect(await workToEnd(alice, { token, amountWei })).toBe('confirmed')
    expect((await tokenBalance(alice.account.address, token)) - before).toBe(amountWei)
    const { withdrawal } = (await withdraw(alice, { token, amountWei })).body
    const receipt = await chain.getTransactionReceipt({ hash: withdrawal.txHash })
    expect(receipt.status).toBe('success')
  })

  it.each<[Token, bigint]>([
    ['ETH', 10n ** 16n],
    ['USDG', 1_000_000n],
  ])('of all %s chips after a play leaves the rest in the vault', async (token, stake) => {
    await fundHouse(token, 1_000_000n * stake)
    expect((await new Player(8).act('house-topup')).status).toBe(200)
    const alice = await depositor(0, token, 10n * stake)
    const { body } = await alice.play({ nonce: 0, token, amountWei: stake.toString() })
    const amountWei = BigInt(body.me.chips[token])
    expect(amountWei).toBe(9n * stake + BigInt(body.payout))
    expect((await withdraw(alice, { token, amountWei })).status).toBe(200)
    expect(await workToEnd(alice, { token, amountWei })).toBe('confirmed')
    expect(await chipsOf(alice, token)).toBe(0n)
  })

  it('returns its status and moves nothing when repeated', async () => {
    const alice = await depositor(0)
    const answers = await Promise.all(Array.from({ length: 5 }, () => withdraw(alice)))
    for (const { body } of answers) expect(body.withdrawal.status).toBe('pending')
    await workToEnd(alice)
    expect(await chipsOf(alice)).toBe(900_000_000n)
    expect(codeOf(await withdraw(alice, { amountWei: AMOUNT + 1n }))).toBe('nonce_mismatch')
    expect(codeOf(await withdraw(alice, { token: 'ETH' }))).toBe('nonce_mismatch')
    expect((await withdraw(alice, { nonce: 2 })).body.error.details).toEqual({ expected: 1 })
  })

  it('waits for the previous one', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    expect(codeOf(await withdraw(alice, { nonce: 1 }))).toBe('withdrawal_pending')
    await workToEnd(alice)
    expect((await withdraw(alice, { nonce: 1 })).status).toBe(200)
    expect(await workToEnd(alice, { nonce: 1 })).toBe('confirmed')
  })

  it('gets its own nonce when several players withdraw at the same time', async () => {
    const players = [await depositor(0), await depositor(1), await depositor(2)]
    await Promise.all(players.map((player) => withdraw(player)))
    for (const player of players) expect(await workToEnd(player)).toBe('confirmed')
  })

  it('arrives on chain if its signature ends in 0 or 1', async () => {
    const alice = await depositor(0)
    const ends = new Set<string>()
    for (let nonce = 0; ends.size < 2; nonce++) {
      const order = { token: 'USDG' as const, amountWei: 1_000_000n, nonce }
      const good = await signWithdrawal(alice, order)
      const end = good.endsWith('1b') ? '00' : '01'
      ends.add(end)
      const signed = { ...order, signature: `${good.slice(0, -2)}${end}` as Hex }
      expect((await withdraw(alice, signed)).status).toBe(200)
      expect(await workToEnd(alice, signed)).toBe('confirmed')
    }
  })

  it('is refused if it differs from the signed one or the player did not sign it', async () => {
    const alice = await depositor(0)
    const order = { token: 'USDG' as const, amountWei: AMOUNT, nonce: 0 }
    const good = await signWithdrawal(alice, order)
    const bob = new Player(1)
    const other = { ...vaultConfig(), chainId: 1 }
    const otherVault = { ...vaultConfig(), address: USDG_ADDRESS }
    const signatures: Hex[] = [
      await signWithdrawal(alice, { ...order, amountWei: AMOUNT + 1n }),
      await signWithdrawal(alice, { ...order, token: 'ETH' }),
      await signWithdrawal(alice, { ...order, nonce: 1 }),
      await signWithdrawal(alice, order, other),
      await signWithdrawal(alice, order, otherVault),
      await bob.account.sign({ hash: `0x${'11'.repeat(32)}` }),
      highS(good),
      `${good.slice(0, -2)}02` as Hex,
      '0x',
      '0x1234',
    ]
    for (const signature of signatures) {
      const answer = await withdraw(alice, { signature })
      expect([answer.status, codeOf(answer)]).toEqual([422, 'signature_invalid'])
    }
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
    expect((await withdraw(alice, { signature: good })).status).toBe(200)
  })

  it('is refused if it is zero, exceeds the balance, or has a wrong form', async () => {
    const alice = await depositor(0)
    expect(codeOf(await withdraw(alice, { amountWei: 0n }))).toBe('amount_out_of_bounds')
    const answer = await withdraw(alice, { amountWei: 1_000_000_001n })
    expect([answer.status, codeOf(answer)]).toEqual([402, 'insufficient_chips'])
    expect(codeOf(await alice.act('withdraw', { token: 'USDG' }))).toBe('invalid_request')
  })

  it('of a wallet that never had chips is refused and stores nothing', async () => {
    const stranger = new Player(0)
    expect(codeOf(await withdraw(stranger))).toBe('insufficient_chips')
    expect(codeOf(await withdraw(stranger, { nonce: 1 }))).toBe('nonce_mismatch')
    expect(codeOf(await withdraw(stranger, { signature: '0x' }))).toBe('signature_invalid')
    expect(await isBlankObject(ledger(env, stranger.wallet))).toBe(true)
  })

  it('of a contract wallet is signed with ERC-1271', async () => {
    const alice = await depositor(0)
    // From here on alice is a contract that accepts the hash itself as a signature.
    const code = '0x60043560643514631626ba7e60e01b0260005260206000f3'
    await chain.setCode({ address: alice.account.address, bytecode: code })
    const order = { token: 'USDG' as const, amountWei: AMOUNT, nonce: 0 }
    const refused = await withdraw(alice, { ...order, signature: '0x1234' })
    expect(codeOf(refused)).toBe('signature_invalid')
    const signature = withdrawalHash(vaultConfig(), { player: alice.account.address, ...order })
    expect((await withdraw(alice, { ...order, signature })).status).toBe(200)
    expect(await workToEnd(alice, { ...order, signature })).toBe('confirmed')
  })
})

describe('a withdrawal of an account that delegates to code (EIP-7702)', () => {
  it('is signed with its key, though the code knows no ERC-1271', async () => {
    const alice = await depositor(0)
    await deploy('BatchAccount', [])
    const nonce = (await chain.getTransactionCount({ address: OWNER.address })) - 1
    const code = getContractAddress({ from: OWNER.address, nonce: BigInt(nonce) })
    const { address } = alice.account
    await chain.setCode({ address, bytecode: concatHex(['0xef0100', code]) })
    expect(codeOf(await withdraw(alice, { signature: `0x${'11'.repeat(65)}` }))).toBe(
      'signature_invalid',
    )
    expect((await withdraw(alice)).status).toBe(200)
    expect(await workToEnd(alice)).toBe('confirmed')
    expect(await noncesUsed(alice)).toBe(1n)
  })
})

describe('when a withdrawal cannot be paid', () => {
  it.each<[string, (alice: Player) => Promise<unknown>]>([
    ['the vault is paused', () => asOwner('pause')],
    ['the player is frozen', (alice) => freeze(alice.account.address)],
    ['the token is paused', () => freeze(null)],
  ])('because %s, its nonce is burned on chain before the chips come back', async (_why, stop) => {
    const alice = await depositor(0)
    await stop(alice)
    await withdraw(alice)
    expect(await workToEnd(alice)).toBe('failed')
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
    expect(await noncesUsed(alice)).toBe(1n)
  })

  it('because the vault is paused, the chips come back only once the vault has used its nonce', async () => {
    const alice = await depositor(0)
    await asOwner('pause')
    nodeHidesNonces()
    await withdraw(alice)
    await work(alice, 4)
    expect(await sentByRelayer()).toBe(1)
    expect(await statusOf(alice)).toBe('submitted')
    expect(await chipsOf(alice)).toBe(900_000_000n)
    vi.restoreAllMocks()
    expect(await workToEnd(alice)).toBe('failed')
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
  })

  it('because the vault is short of funds, the chips come back', async () => {
    const alice = await depositor(0)
    await alice.fund('5000000000')
    await withdraw(alice, { amountWei: 2_000_000_000n })
    expect(await workToEnd(alice, { amountWei: 2_000_000_000n })).toBe('failed')
    expect(await chipsOf(alice)).toBe(6_000_000_000n)
  })

  it.each<[string, (alice: Player) => Promise<unknown>]>([
    ['the vault was paused', () => asOwner('pause')],
    ['the player was frozen', (alice) => freeze(alice.account.address, 'first')],
    ['the token was paused', () => freeze(null, 'first')],
  ])('because %s after it was sent, its nonce is burned first', async (_why, stop) => {
    const alice = await depositor(0)
    await chain.setAutomine(false)
    await withdraw(alice)
    await work(alice, 1)
    expect(await statusOf(alice)).toBe('submitted')
    // Comes before the withdrawal in the block because it pays more.
    await stop(alice)
    await chain.mine({ blocks: 1 })
    await chain.setAutomine(true)
    await look()
    expect(await statusOf(alice)).toBe('submitted')
    expect(await chipsOf(alice)).toBe(900_000_000n)
    expect(await workToEnd(alice)).toBe('failed')
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
    expect(await noncesUsed(alice)).toBe(1n)
  })
})

describe("the relayer's report on a withdrawal", () => {
  const HASH = `0x${'1'.repeat(64)}`
  const report = (player: Player, progress: WithdrawalProgress) =>
    ledger(env, player.wallet).withdrawalProgress(vaultConfig().id, 0, progress)

  it('counts once: another end under the same number refunds nothing', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    await report(alice, { status: 'submitted', txHash: HASH, version: 7 })
    await report(alice, { status: 'failed', txHash: null, version: 7 })
    expect(await statusOf(alice)).toBe('submitted')
    expect(await chipsOf(alice)).toBe(900_000_000n)
  })

  it('that it was sent does not contradict its refund, so it alerts nobody', async () => {
    const alice = await depositor(0)
    await asOwner('pause')
    await withdraw(alice)
    expect(await workToEnd(alice)).toBe('failed')
    const errors = vi.spyOn(console, 'error')
    await report(alice, { status: 'submitted', txHash: HASH, version: Number.MAX_SAFE_INTEGER })
    expect(errors).not.toHaveBeenCalled()
    expect(await statusOf(alice)).toBe('failed')
    expect(await chipsOf(alice)).toBe(1_000_000_000n)
  })

  it('skips no nonce while the next withdrawal is in progress, which still comes first', async () => {
    const alice = await depositor(0)
    await withdraw(alice)
    expect(await workToEnd(alice)).toBe('confirmed')
    await withdraw(alice, { nonce: 1 })
    const version = Number.MAX_SAFE_INTEGER
    await report(alice, { status: 'confirmed', txHash: HASH, version, nextNonce: 5 })
    expect(codeOf(await withdraw(alice, { nonce: 5 }))).toBe('nonce_mismatch')
    expect(codeOf(await withdraw(alice, { nonce: 2 }))).toBe('withdrawal_pending')
    expect(await workToEnd(alice, { nonce: 1 })).toBe('confirmed')
    expect((await withdraw(alice, { nonce: 2 })).status).toBe(200)
  })
})

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Returns the other form of a signature, which is no longer accepted. */
function highS(signature: Hex): Hex {
  const { r, s, yParity } = parseSignature(signature)
  return serializeSignature({ r, s: toHex(ORDER - BigInt(s)), yParity: yParity === 0 ? 1 : 0 })
}
