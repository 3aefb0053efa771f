import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { ledger } from '../../src/calls/objects.ts'
import { sweep } from '../../src/sweep.ts'
import { get, openRound, outcomeOf, pass, Player, rowsOf, watch } from '../workers/support.ts'
import { RELAYER, USDG_ADDRESS, VAULT_ADDRESS } from './accounts.ts'
import {
  asOwner,
  chain,
  chipsOf,
  deposit,
  depositor,
  fundHouse,
  houseFunds,
  look,
  nodeAnswers,
  takeHouseShare,
  theRelayer,
  tokenBalance,
  useChain,
} from './support.ts'

useChain()

const owner = new Player(8)

describe('house-topup', () => {
  it("counts each funding once and reports the relayer's state", async () => {
    await fundHouse('USDG', 7_000_000n)
    await fundHouse('ETH', 5n)
    for (let time = 0; time < 2; time++) {
      const { status, body } = await owner.act('house-topup')
      expect(status).toBe(200)
      expect(body).toEqual({
        ok: true,
        houseNeedsFunding: false,
        house: { ETH: '5', USDG: '7000000' },
        relayer: {
          address: RELAYER.address,
          balanceWei: expect.stringMatching(/^\d+$/),
          reserveWei: '250000000000000000',
        },
      })
    }
  })

  it('counts fundings among more deposits than the node returns at once', async () => {
    for (let index = 0; index < 4; index++) await depositor(index)
    await fundHouse('USDG', 7_000_000n)
    nodeAnswers('eth_getLogs', (logs) => {
      if ((logs as unknown[]).length > 3) throw new Error('more than 3 results')
      return logs
    })
    const { status, body } = await owner.act('house-topup')
    expect(status).toBe(200)
    expect(body.house.USDG).toBe('7000000')
  })

  describe('sends the result to the chain', () => {
    const sent = () => chain.getTransactionCount({ address: RELAYER.address })
    const check = async (fields: object = {}) => {
      expect((await owner.act('house-topup', fields)).status).toBe(200)
      pass(2_000)
      for (let looks = 0; looks < 3; looks++) await look()
      return sent()
    }

    it('once per token across repeated requests', async () => {
      expect(await check()).toBe(2)
      for (let time = 0; time < 3; time++) expect(await check()).toBe(2)
    })

    it('again when it has changed, for that token alone', async () => {
      await fundHouse('USDG', 1_000_000_000n)
      const alice = await depositor(0)
      expect(await check()).toBe(2)
      await alice.play({ nonce: 0, amountWei: '5000000' })
      pass(300_000)
      await ledger(env, alice.wallet).sweep()
      expect(await check()).toBe(3)
    })

    it('again when it is half an hour old, because the vault forgets it after an hour', async () => {
      expect(await check()).toBe(2)
      pass(1_799_000)
      expect(await check()).toBe(4)
    })

    it('never when only the reserve is checked', async () => {
      expect(await check({ record: false })).toBe(0)
      expect((await owner.act('house-topup', { record: 'no' })).status).toBe(400)
    })
  })

  it('can only be requested by the owner', async () => {
    expect(outcomeOf(await new Player(0).act('house-topup'))).toEqual([403, 'not_vault_owner'])
  })

  it('works while the vault is paused, and reports an unreachable chain', async () => {
    await asOwner('pause')
    expect((await owner.act('house-topup')).status).toBe(200)
    // A paused vault takes no result.
    expect(await rowsOf(theRelayer(), 'SELECT id FROM payouts')).toEqual([])
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'))
    expect(outcomeOf(await owner.act('house-topup'))).toEqual([503, 'chain_unavailable'])
  })

  it("counts the owner's payouts and never the players' money", async () => {
    await fundHouse('USDG', 7_000_000n)
    const alice = await depositor(0)
    await owner.act('house-topup')
    await look()
    await takeHouseShare('USDG', 3_000_000n)
    pass(300_000)
    await ledger(env, alice.wallet).sweep()
    const { body } = await owner.act('house-topup')
    expect(body.house.USDG).toBe('4000000')
  })
})

describe('after house-topup, the owner', () => {
  it("can take out exactly the house's winnings and funding, none of the players' money", async () => {
    await fundHouse('USDG', 1_000_000_000n)
    await owner.act('house-topup')
    const alice = await depositor(0)
    for (let nonce = 0; nonce < 5; nonce++) await alice.play({ nonce, amountWei: '5000000' })
    pass(300_000)
    await ledger(env, alice.wallet).sweep()
    await owner.act('house-topup')
    await look()
    await look()
    const chips = BigInt(await alice.chips())
    expect(await houseFunds('USDG')).toBe(2_000_000_000n - chips)
    await expect(takeHouseShare('USDG', 2_000_000_001n - chips)).rejects.toThrow('AboveHouseFunds')
    await takeHouseShare('USDG', 2_000_000_000n - chips)
    expect(await tokenBalance(VAULT_ADDRESS, 'USDG')).toBe(chips)
    await owner.act('house-topup')
  })
})

it('gives a page the configuration needed for deposits and withdrawals', async () => {
  const { config } = await watch()
  expect(config.chain).toEqual({
    chainId: 31337,
    vault: VAULT_ADDRESS,
    usdg: USDG_ADDRESS,
    confirmations: 1,
    withdrawalMin: { ETH: '1', USDG: '1' },
    isPaused: false,
    nextRelayer: null,
  })
  expect(config.withdrawal).toEqual({ min: { ETH: '1', USDG: '1' } })
})

describe("the house's bankroll", () => {
  it('limits the winnings of a bet, a play and a round by published shares', async () => {
    await fundHouse('USDG', 1_000_000_000n)
    await owner.act('house-topup')
    const { body } = await get('/api/entropy')
    expect(body.bankroll).toEqual({
      amounts: { ETH: '0', USDG: '1000000000' },
      payoutBps: 100,
      roundBps: 250,
    })
    expect(body.maxPayout).toEqual({ ETH: '0', USDG: '10000000' })
    await openRound()
    const { config } = await watch()
    expect(config.bankroll).toEqual(body.bankroll)
    expect(config.maxPayout.USDG).toBe('10000000')
    expect(config.maxRoundPayout.USDG).toBe('25000000')
    expect(config.bounds.USDG.max).toBe('3125000')
  })

  it('refuses a play whose win it cannot cover', async () => {
    await fundHouse('USDG', 1_000_000_000n)
    await owner.act('house-topup')
    const alice = await depositor(0)
    const refused = await alice.play({ amountWei: '5000001' })
    expect(refused.body.error).toMatchObject({
      code: 'payout_limit',
      details: { maxPayout: '10000000', maxAmountWei: '5000000' },
    })
    expect((await alice.play({ amountWei: '5000000' })).status).toBe(200)
  })

  it('refuses every bet when it is empty', async () => {
    const alice = await depositor(0)
    await openRound()
    const { body } = await alice.bet('10000')
    expect(body.error).toMatchObject({ code: 'amount_out_of_bounds', details: { max: '0' } })
    expect((await alice.play()).body.error.code).toBe('amount_out_of_bounds')
  })

  it('is kept current by the cron handler', async () => {
    // The configuration check misses the contracts that this story does not deploy.
    await fundHouse('USDG', 1_000_000_000n)
    const alice = new Player(0)
    await deposit(alice, 'USDG', 5_000_000n)
    await chipsOf(alice)
    pass(300_000)
    await sweep(env)
    pass(15_000)
    expect((await get('/api/entropy')).body.bankroll.amounts.USDG).toBe('1000000000')
  })
})
