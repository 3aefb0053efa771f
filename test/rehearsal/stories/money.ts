import { randomBytes, randomUUID } from 'node:crypto'
import { erc20Abi } from 'viem'
import { expect } from 'vitest'
import { sign, soundToken } from '../../../src/certify/token.ts'
import { devOwner, devPlayer } from '../../../src/cli/shared/dev-players.ts'
import { DAY_MS } from '../../../src/core/utc-day.ts'
import { Operator } from '../operator.ts'
import { readRunbook } from '../runbook.ts'
import { byTwo, expectExit, HOUR_MS, transferOf, type Followed, type Story } from '../story.ts'
import { PARTNER, type World } from '../world.ts'
import { ELSEWHERE, OTHER_CAUSE } from './words.ts'

export const silentDatabase: Story = {
  alert: 'BankrollInvalid',
  fault: '`DB` does not answer for twelve minutes',
  remedy: 'waited for D1',
  fires: ['BankrollInvalid'],
  async make(world) {
    // All ledgers have sent their positions.
    await world.minutes(6)
    await world.site.drive({ order: 'cut', bindings: ['DB'] })
    await world.until(() => !world.isUp('bankroll'), 12)
    await world.minutes(2)
  },
  look: (world) => [
    [
      'heartbeat_write_failed',
      async () => expect(world.logged('heartbeat_write_failed')).not.toEqual([]),
    ],
    ['ChainUnread', async () => expect(await world.firing()).toHaveLength(1)],
    ['cloudflarestatus', ELSEWHERE],
  ],
  act: ({ site }) => [
    ['wait for D1', () => site.drive({ order: 'cut', bindings: [] })],
    ['DatabaseRestored', OTHER_CAUSE],
    ['incomplete', OTHER_CAUSE],
    ['No count after a deployment', OTHER_CAUSE],
  ],
  async resolved(world) {
    await world.until(() => world.isUp('bankroll'), 8)
    expect(world.metric('fairhouse_bankroll_valid')).toBe(1)
    await world.play(0)
  },
}

export const lostPositions: Story = {
  alert: 'BankrollInvalid',
  fault: 'The position of a wallet is lost from `DB` every minute for ten minutes',
  remedy: 'positions sent again by an operator, withdrawals opened by two',
  fires: ['BankrollInvalid', 'VaultDrift'],
  async make(world) {
    const lose = async () => {
      const database = await world.site.database('DB')
      await database.exec(`DELETE FROM ledger_positions WHERE wallet = '${devPlayer(3).address}'`)
    }
    // A wallet that moved lately is looked up anyway.
    await world.leap(HOUR_MS)
    for (let minute = 0; minute < 10; minute++) {
      await lose()
      await world.minutes(1)
    }
    // It stays lost: all positions have just been sent again. One that arrived between two losses ended the difference.
    await world.until(async () => (await world.firing()).includes('VaultDrift'), 15)
    expect(world.isUp('bankroll')).toBe(false)
  },
  look: (world) => [
    [
      'bankroll_not_counted',
      async () =>
        expect(world.logged('bankroll_not_counted').at(-1)).toMatchObject({ doubt: 'incomplete' }),
    ],
    ['ChainUnread', async () => expect(await world.firing()).not.toContain('ChainUnread')],
    ['cloudflarestatus', ELSEWHERE],
  ],
  act: (world) => [
    ['wait for D1', OTHER_CAUSE],
    ['DatabaseRestored', OTHER_CAUSE],
    [
      'incomplete',
      async (type) => {
        expectExit(await type(), 0)
        await world.until(() => world.isUp('bankroll'), 8)
        const operator = new Operator(world)
        const open = readRunbook('VaultDrift').act.at(-1)
        const left = [...(open?.commands ?? [])]
        await byTwo(world, (blanks, key) => operator.type(left.shift() ?? '', blanks, key))
      },
    ],
    ['No count after a deployment', OTHER_CAUSE],
  ],
  async resolved(world) {
    await world.until(() => world.isUp('bankroll'), 8)
    expect(world.metric('fairhouse_bankroll_valid')).toBe(1)
    await world.play(0)
  },
}

export const restoredDatabase: Story = {
  alert: 'DatabaseRestored',
  fault: 'D1 is restored to an earlier time',
  remedy: 'waited until every position was sent again',
  fires: ['DatabaseRestored'],
  async make(world) {
    const restore = await world.site.bookmark('D1DatabaseObject')
    await world.minutes(3)
    await restore()
    await world.minutes(1)
  },
  look: () => [
    ['who restored it', ELSEWHERE],
    ['the right database', async () => {}],
  ],
  act: () => [
    ['If that id is wrong', OTHER_CAUSE],
    ['Otherwise wait', async () => {}],
    ["a ledger doesn't answer", OTHER_CAUSE],
    ['Bookings of the advertising slot', ELSEWHERE],
  ],
  async resolved(world) {
    const doubt = 'fairhouse_database_doubt{doubt="restored"}'
    await world.until(() => world.isUp('bankroll') && world.metric(doubt) === 0, 12)
  },
}

export const takenTokens: Story = {
  alert: 'VaultDrift',
  fault: '7 units of USDG leave the vault past its books',
  remedy: 'paused, sent back, and withdrawals opened by two operators',
  fires: ['VaultDrift'],
  async make(world) {
    const data = transferOf(devOwner().address, 7n)
    await world.as(world.vault.address, world.vault.usdg, { data })
    await world.minutes(12)
  },
  look: (world) => {
    const places: Followed[] = ['a wallet', '`house`', '`others`', '`ledgers`'].map((place) => [
      place,
      OTHER_CAUSE,
    ])
    return [
      [
        'by how much and since when',
        async (type) => {
          const { exitCode, output } = await type()
          expect(exitCode).toBe(1)
          expect(output).toContain('Drift: -0.000007 USDG at vault')
        },
      ],
      ['By its place', async () => {}],
      ['left the contract past its books', ELSEWHERE],
      ...places,
      ['vault_drift_stays', async () => expect(world.logged('vault_drift_stays')).not.toEqual([])],
      ['the same from outside', async (type) => void (await type())],
    ]
  },
  act: (world) => [
    ['calls `pause()` at once', () => world.asOwner('pause')],
    ['the chain has dropped', OTHER_CAUSE],
    ['was paid otherwise', OTHER_CAUSE],
    ['A positive drift of a wallet', OTHER_CAUSE],
    ['`ledgers` or `others`', OTHER_CAUSE],
    [
      'send as much',
      async () => {
        const data = transferOf(world.vault.address, 7n)
        await world.as(devOwner().address, world.vault.usdg, { data })
      },
    ],
    [
      'open the withdrawals',
      async (type) => {
        await byTwo(world, type)
        await world.asOwner('unpause')
      },
    ],
  ],
  async resolved(world, type) {
    const age = (token: string) => world.metric(`fairhouse_drift_age_seconds{token="${token}"}`)
    await world.until(() => age('USDG') === 0 && age('ETH') === 0, 3)
    expectExit(await type(), 0)
  },
}

/** What was taken. */
let takenWei = 0n

const isCovered = (world: World) => world.metric('fairhouse_solvency_ratio{token="USDG"}') >= 1

export const emptiedVault: Story = {
  alert: 'SolvencyShort',
  fault: 'All USDG leaves the vault past its books',
  remedy: 'paused, sent back, and unpaused after a count',
  fires: ['SolvencyShort', 'VaultDrift'],
  async make(world) {
    const { address, usdg } = world.vault
    const call = { address: usdg, abi: erc20Abi, functionName: 'balanceOf' } as const
    takenWei = await world.chain.readContract({ ...call, args: [address] })
    await world.as(address, usdg, { data: transferOf(devOwner().address, takenWei) })
    await world.minutes(1)
    await world.leap(HOUR_MS)
    await world.until(() => !isCovered(world), 15)
  },
  look: (world) => [
    ['the token and the shortfall', async (type) => expectExit(await type(), 1)],
    ['outgoing transfers', ELSEWHERE],
    [
      'credited_deposit_missing',
      async () => expect(world.logged('payout_paid_after_burn')).toEqual([]),
    ],
  ],
  act: (world) => [
    ['calls `pause()` immediately', () => world.asOwner('pause')],
    ['has leaked', OTHER_CAUSE],
    ['withdrew too much', OTHER_CAUSE],
    [
      'past its books',
      async () => {
        const { address, usdg } = world.vault
        await world.as(devOwner().address, usdg, { data: transferOf(address, takenWei) })
      },
    ],
    [
      'Unpause only once',
      async () => {
        await world.leap(HOUR_MS)
        // After an hour without the cron trigger, ledgers get minutes to send their positions.
        await world.until(() => isCovered(world), 15)
        expect(isCovered(world)).toBe(true)
        await world.asOwner('unpause')
      },
    ],
    ['open them', async (type) => byTwo(world, type)],
  ],
  async resolved(world, type) {
    await world.minutes(2)
    expect(world.metric('fairhouse_solvency_ratio{token="ETH"}')).toBeGreaterThanOrEqual(1)
    expectExit(await type(), 0)
  },
}

/** @param hint what the runbook names @param credited today, in USDG */
function lookAtPartner(world: World, hint: string, credited: number): Followed[] {
  return [
    [
      hint,
      async () =>
        expect(world.metric('fairhouse_partner_credited{partner="acme",token="USDG"}')).toBe(
          credited,
        ),
    ],
    [
      '`movement` lines',
      async () =>
        expect(world.logged('movement').at(-1)).toMatchObject({
          operation: expect.stringContaining('bridge:acme:') as string,
        }),
    ],
    ['own total', ELSEWHERE],
  ]
}

export const stolenPartnerKey: Story = {
  alert: 'PartnerVolumeHigh',
  fault: "Someone with a partner's key credits 1,200 USDG and debits 600",
  remedy: 'the partner closed, its key changed, and midnight',
  fires: ['PartnerVolumeHigh'],
  async make(world) {
    for (const amountWei of ['600000000', '-600000000', '600000000']) {
      expect(await move(world, amountWei)).toBe(200)
    }
    await world.minutes(6)
  },
  look: (world) => lookAtPartner(world, 'fairhouse_partner_debited', 1_200),
  act: (world) => [
    [
      'close it',
      async (type) => {
        expectExit(await type(), 0)
        await world.minutes(1)
        expect(await move(world, '1')).toBe(503)
      },
    ],
    [
      'has leaked',
      async (type) => {
        PARTNER.secret = randomBytes(32).toString('hex')
        const keys = { [PARTNER.id]: { second: PARTNER.secret } }
        await type({ PARTNER_KEYS: JSON.stringify(keys) })
      },
    ],
    [
      'open it',
      async (type) => {
        expectExit(await type(), 0)
        await world.minutes(1)
      },
    ],
  ],
  async resolved(world) {
    await world.leap(DAY_MS - (Date.now() % DAY_MS))
    await world.minutes(1)
  },
}

export const busyPartner: Story = {
  alert: 'PartnerLimitNear',
  fault: 'A partner credits 900 USDG of the 1,000 that a day may have',
  remedy: 'the limit raised',
  fires: ['PartnerLimitNear'],
  async make(world) {
    expect(await move(world, '900000000')).toBe(200)
    await world.minutes(1)
  },
  look: (world) => lookAtPartner(world, 'fairhouse_partner_credited', 900),
  act: (world) => [
    ['has leaked', OTHER_CAUSE],
    [
      'raise `maxNetCreditPerDay`',
      async () => {
        await world.setPartnerLimit('10000000000')
        await world.site.deploy()
      },
    ],
    ['raise `maxNewPlayersPerDay`', OTHER_CAUSE],
    ['lower `settled`', OTHER_CAUSE],
  ],
  resolved: (world) => world.minutes(1),
}

/** Makes a transaction of the partner. Returns the status of the answer. */
async function move(world: World, amountWei: string): Promise<number> {
  const body = JSON.stringify({
    playerId: devPlayer(4).address,
    currency: 'USDG',
    amountWei,
    partnerTransactionId: randomUUID(),
  })
  const answer = await fetch(`${world.site.baseUrl}/api/wallet/transaction`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${sign(soundToken(PARTNER, body))}`,
    },
    body,
  })
  await answer.body?.cancel()
  return answer.status
}
