import { parseEther, zeroAddress } from 'viem'
import { expect } from 'vitest'
import { ChainWallet } from '../../../src/cli/shared/chain-wallet.ts'
import { devOwner, devPlayer } from '../../../src/cli/shared/dev-players.ts'
import { byTwo, expectExit, HOUR_MS, transferOf, type Story, type Type } from '../story.ts'
import type { World } from '../world.ts'
import { ELSEWHERE, OTHER_CAUSE } from './words.ts'

/** More than any payout and fee of a story. */
const SOME_ETH = parseEther('1')

/** Puts the other node in the place of the one in use. */
async function useOtherNode(world: World, type: Type): Promise<void> {
  world.swap('nodes')
  await type({ CHAIN_RPC_URL: world.nodes[0].url })
}

export const silentNode: Story = {
  alert: 'ChainUnread',
  fault: 'The node does not answer',
  remedy: 'another node set',
  fires: ['ChainUnread'],
  async make(world) {
    world.nodes[0].fails = () => true
    await world.minutes(8)
  },
  look: (world) => [
    ['sweep_failed', async () => expect(world.logged('sweep_failed')).not.toEqual([])],
    [
      'asks the node',
      async (type) =>
        expect((await type()).output).toContain('The node at CHAIN_RPC_URL did not answer'),
    ],
    ['fairhouse_chain_block', ELSEWHERE],
  ],
  act: (world) => [
    ['set another `CHAIN_RPC_URL`', (type) => useOtherNode(world, type)],
    ['omits logs', OTHER_CAUSE],
    ['`CHAIN_LOG_RANGE`', OTHER_CAUSE],
    ["doesn't match the chain", OTHER_CAUSE],
    ['has stopped', OTHER_CAUSE],
  ],
  async resolved(world) {
    await world.until(() => world.isUp('chain'), 2)
    expect(world.metric('fairhouse_vault_movements_undelivered')).toBe(0)
  },
}

/** The node has forgotten what accounts had after old blocks. */
const isOfOldBlock = (body: string) => body.includes('eth_getBalance') && !body.includes('latest')

export const forgetfulNode: Story = {
  alert: 'ReconciliationLate',
  fault: 'The node has forgotten the state after old blocks',
  remedy: 'a node set that keeps it',
  fires: ['ReconciliationLate'],
  async make(world) {
    world.nodes[0].fails = isOfOldBlock
    await world.minutes(17)
  },
  look: (world) => [
    ['ChainUnread and BankrollInvalid', async () => {}],
    [
      'reconciliation_failed',
      async () => expect(world.logged('reconciliation_failed')).not.toEqual([]),
    ],
    [
      'when they were last compared',
      async (type) => expect((await type()).output).toContain('Compared at'),
    ],
  ],
  act: (world) => [
    ['Follow the runbook of the other alert', OTHER_CAUSE],
    ['set one that does', (type) => useOtherNode(world, type)],
  ],
  async resolved(world) {
    await world.until(() => world.metric('fairhouse_reconciliation_age_seconds') < 120, 2)
  },
}

export const uncountedDebts: Story = {
  alert: 'SolvencyOld',
  fault: 'The node has forgotten the state after old blocks for two hours',
  remedy: 'the runbook of ReconciliationLate',
  fires: ['ReconciliationLate', 'SolvencyOld'],
  async make(world) {
    world.nodes[0].fails = isOfOldBlock
    await world.leap(2 * HOUR_MS)
    await world.minutes(12)
  },
  look: (world) => [
    [
      'Start with their runbooks',
      async () => expect(await world.firing()).toContain('ReconciliationLate'),
    ],
    [
      'sweep_failed',
      async () => expect(world.logged('sweep_failed').at(-1)).toMatchObject({ part: 'solvency' }),
    ],
  ],
  act: (world) => [
    [
      'Fix the cause',
      async () => {
        world.swap('nodes')
        await world.site.putSecret('CHAIN_RPC_URL', world.nodes[0].url)
      },
    ],
  ],
  async resolved(world, type) {
    await world.until(() => world.isUp('solvency'), 3)
    expectExit(await type(), 0)
  },
}

export const poorRelayer: Story = {
  alert: 'RelayerGasLow',
  fault: "The relayer's account has 0.01 ETH left",
  remedy: 'the account funded',
  fires: ['RelayerGasLow'],
  async make(world) {
    await world.chain.setBalance({ address: world.relayer, value: parseEther('0.01') })
    await world.minutes(3)
  },
  look: (world) => [
    [
      'fairhouse_relayer_balance_eth',
      async () =>
        expect(world.metric('fairhouse_relayer_balance_eth')).toBeLessThan(
          world.metric('fairhouse_relayer_reserve_eth'),
        ),
    ],
    ['The address', async (type) => expect((await type()).output).toContain(world.relayer)],
    ['block explorer', ELSEWHERE],
    [
      'What gas has cost',
      async (type) => expect((await type({ '<day>': '2026-01-01' })).output).toContain(',gas,'),
    ],
  ],
  act: (world) => [
    ['Send the account', () => world.as(devOwner().address, world.relayer, { value: SOME_ETH })],
    ['the key has leaked', OTHER_CAUSE],
  ],
  async resolved(world) {
    await world.minutes(1)
    expect(world.metric('fairhouse_relayer_balance_eth')).toBeGreaterThan(
      world.metric('fairhouse_relayer_reserve_eth'),
    )
  },
}

export const pausedVault: Story = {
  alert: 'VaultPaused',
  fault: "The vault's owner calls `pause()`",
  remedy: '`unpause()`',
  fires: ['VaultPaused'],
  async make(world) {
    await world.asOwner('pause')
    await world.minutes(2)
  },
  look: () => [
    ["The owner's reason", ELSEWHERE],
    ['who sent `pause()`', ELSEWHERE],
  ],
  act: (world) => [
    ['carry on with the plan', OTHER_CAUSE],
    ['nobody on your side', OTHER_CAUSE],
    ['`unpause()`', () => world.asOwner('unpause')],
  ],
  async resolved(world) {
    await world.until(() => world.metric('fairhouse_vault_paused') === 0, 2)
  },
}

export const announcedRelayer: Story = {
  alert: 'RelayerAnnounced',
  fault: "The vault's owner announces another relayer",
  remedy: 'the announcement cancelled',
  fires: ['RelayerAnnounced'],
  async make(world) {
    await world.asOwner('announceRelayer', devPlayer(0).address)
    await world.minutes(2)
  },
  look: () => [
    [
      'The account and its times',
      async (type) => expect((await type()).output).toContain(devPlayer(0).address),
    ],
    ["The owner's reason", ELSEWHERE],
  ],
  act: (world) => [
    ['If it was planned', OTHER_CAUSE],
    ['nobody on your side', OTHER_CAUSE],
    ['the zero address', () => world.asOwner('announceRelayer', zeroAddress)],
  ],
  async resolved(world) {
    await world.until(() => world.metric('fairhouse_vault_relayer_announced') === 0, 2)
  },
}

export const otherPayer: Story = {
  alert: 'ConfigurationWrong',
  fault: "The prize pool's owner sets another payer",
  remedy: 'the relayer set again',
  fires: ['ConfigurationWrong'],
  async make(world) {
    await world.setPayer(devPlayer(0).address)
    await world.minutes(7)
  },
  look: (world) => [
    [
      'says what differs',
      async () =>
        expect(world.logged('chain_configuration_mismatch').at(-1)).toMatchObject({
          message: expect.stringContaining("Have the pool's owner call setPayer") as string,
        }),
    ],
    [
      'finds the same',
      async (type) =>
        expect((await type()).output).toContain(`but the relayer is ${world.relayer}`),
    ],
    ['Ask who changed it', ELSEWHERE],
  ],
  act: (world) => [
    ['the call that the message names', () => world.setPayer(world.relayer)],
    ['If a setting is wrong', OTHER_CAUSE],
    ['If a secret is wrong', OTHER_CAUSE],
  ],
  async resolved(world) {
    await world.until(() => world.metric('fairhouse_configuration_problems') === 0, 2)
  },
}

export const closedWithdrawals: Story = {
  alert: 'WithdrawalsLate',
  fault: 'Operators close the withdrawals while one waits for its node',
  remedy: 'opened by two operators',
  fires: ['WithdrawalsLate'],
  async make(world) {
    world.nodes[0].fails = () => true
    await withdraw(world, 1)
    await world.operate('mode withdrawals=closed')
    await world.minutes(1)
    world.nodes[0].fails = () => false
    await world.minutes(1)
    await world.leap(HOUR_MS)
    await world.minutes(1)
  },
  look: (world) => [
    ['Start with their runbooks', async () => expect(await world.firing()).toHaveLength(1)],
    ['names the withdrawal', async () => {}],
    [
      'fairhouse_gas_price_gwei',
      async (type) => {
        expect(world.metric('fairhouse_gas_price_gwei')).toBeLessThan(200)
        expect((await type()).output).toContain('✓ the price of gas is at most')
      },
    ],
    ['fairhouse_relayer_unmined_transactions', async () => {}],
  ],
  act: (world) => [
    [
      'withdrawals: closed',
      async (type) => {
        expect((await type()).output).toContain('withdrawals: closed')
        await byTwo(world, type)
      },
    ],
    ['says about the event', OTHER_CAUSE],
    ['raise `RELAYER_MAX_FEE_WEI`', OTHER_CAUSE],
    ['gas allowance', OTHER_CAUSE],
    ['transactions have failed in the last 30 days', OTHER_CAUSE],
    ["used the withdrawal's nonce", OTHER_CAUSE],
  ],
  async resolved(world) {
    const age = 'fairhouse_orders_oldest_age_seconds{kind="withdrawals"}'
    await world.until(() => world.metric(age) < 3_600, 5)
    // The same call again shows how it is.
    expect(await withdraw(world, 1)).toBe('confirmed')
  },
}

/** Has a player withdraw an ETH. Returns how that is. */
async function withdraw(world: World, index: number): Promise<string> {
  const player = await world.player(index)
  const { privateKey } = devPlayer(index)
  const order = { token: 'ETH', amountWei: SOME_ETH, nonce: 0 } as const
  const signature = await new ChainWallet(world.vault, privateKey).signWithdrawal(order)
  const { withdrawal } = await player.withdraw({ ...order, signature })
  return withdrawal.status
}

export const emptyPool: Story = {
  alert: 'PrizesLate',
  fault: 'The pool has neither ETH nor reward tokens when the lootbox is opened',
  remedy: 'the pool funded',
  fires: ['PrizesLate'],
  async make(world) {
    const { pool, rewardToken } = world.prizes
    const txHash = await world.payForLootbox(2)
    await world.minutes(1)
    const data = transferOf(devOwner().address, parseEther('1000000'))
    await world.as(pool, rewardToken, { data })
    await world.chain.setBalance({ address: pool, value: 0n })
    await world.openLootbox(2, txHash)
    await world.minutes(1)
    await world.leap(HOUR_MS)
    await world.minutes(1)
  },
  look: (world) => [
    ['prize_not_payable', async () => expect(world.logged('prize_not_payable')).not.toEqual([])],
    [
      'whether the pool can pay',
      async (type) => expect((await type()).output).toContain('Send it more.'),
    ],
    ['RelayerGasLow', async () => expect(await world.firing()).toHaveLength(1)],
  ],
  act: (world) => [
    [
      'Send the pool the asset that it lacks',
      async () => {
        const { pool, rewardToken } = world.prizes
        await world.chain.setBalance({ address: pool, value: parseEther('100') })
        const data = transferOf(pool, parseEther('1000'))
        await world.as(devOwner().address, rewardToken, { data })
      },
    ],
    ['For a stock prize', OTHER_CAUSE],
    ['wait for the exchange', OTHER_CAUSE],
    ['takes a fee on transfers', OTHER_CAUSE],
    ['many withdrawals', OTHER_CAUSE],
  ],
  async resolved(world) {
    await world.until(() => world.metric('fairhouse_orders_waiting{kind="prizes"}') === 0, 20)
  },
}
