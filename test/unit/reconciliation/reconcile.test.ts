import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOUSE, postingsOf } from '../../../src/ledger/accounts.ts'
import { TOKENS, type Token } from '../../../src/money/token.ts'
import { LEDGERS, OTHERS, VAULT } from '../../../src/reconciliation/reconcile.ts'
import { forMany } from '../support/for-all.ts'
import { World } from './world.ts'

const [ALICE, BOB, CAROL] = ['0xA11ce', '0xB0b', '0xCa401'] as const
const OLD_MINUTES = 40

/** A service that has been played at for a while, with everything settled. */
function settledWorld(): World {
  const world = new World()
  for (const token of TOKENS) {
    world.fund(token, 1_000_000n)
    for (const wallet of [ALICE, BOB, CAROL]) world.deposit(wallet, token, 100_000n)
  }
  world.play(ALICE, 'USDG', 20_000n, 0n)
  world.play(BOB, 'ETH', 5_000n, 50_000n)
  world.transfer(CAROL, 'USDG', -30_000n)
  world.withdraw(BOB, 'ETH', 40_000n)
  world.pay(BOB)
  world.confirm(BOB)
  world.minutes(OLD_MINUTES)
  return world
}

/** Changes a ledger's account without its counterpart, as no operation can. */
function corrupt(world: World, wallet: string, account: 'chips' | 'fees', amountWei: bigint): void {
  world.balances(wallet).USDG[account] += amountWei
  world.sendPosition(wallet)
}

interface Order {
  wallet: string
  token: Token
  amountWei: bigint
}

/** What happens to an honest service, in any order and at any time. */
const HONEST: Record<string, (world: World, order: Order) => void> = {
  see: (world, { wallet, token, amountWei }) =>
    void world.see('deposited', wallet, token, amountWei),
  tell: (world) => {
    const untold = world.logs.find(({ toldAt }) => toldAt === null)
    if (untold) world.tell(untold)
  },
  fund: (world, { token, amountWei }) => world.fund(token, amountWei),
  withdraw: (world, { wallet, token, amountWei }) => world.withdraw(wallet, token, amountWei),
  pay: (world, { wallet }) => world.pay(wallet),
  confirm: (world, { wallet }) => world.confirm(wallet),
  play: (world, { wallet, token, amountWei }) =>
    world.play(wallet, token, amountWei, amountWei * 2n),
  debit: (world, { wallet, token, amountWei }) => world.transfer(wallet, token, -amountWei),
  credit: (world, { wallet, token, amountWei }) => world.transfer(wallet, token, amountWei),
  send: (world, { wallet }) => world.sendPosition(wallet),
  pass: (world, { amountWei }) => world.pass(Number(amountWei) * 200),
}

interface Fault {
  fault: string
  plant: (world: World) => void
  drift: { place: string; amountWei: bigint; token?: Token }[]
}

const FAULTS: Fault[] = [
  {
    fault: 'a deposit that is credited and not on the chain',
    plant: (world) => world.move(ALICE, postingsOf('USDG', ['vault', 'chips', 700n])),
    drift: [{ place: OTHERS, amountWei: -700n }],
  },
  {
    fault: 'a deposit on the chain that its ledger lost',
    plant: (world) => void (world.see('deposited', ALICE, 'USDG', 700n).toldAt = world.now),
    drift: [{ place: ALICE, amountWei: 700n }],
  },
  {
    fault: 'a withdrawal that is paid twice',
    plant: (world) => {
      world.withdraw(ALICE, 'USDG', 700n)
      world.pay(ALICE)
      world.see('withdrawn', ALICE, 'USDG', 700n, 0)
      world.confirm(ALICE)
    },
    drift: [{ place: ALICE, amountWei: -700n }],
  },
  {
    fault: 'a payout that its ledger did not debit',
    plant: (world) => void world.see('withdrawn', BOB, 'USDG', 700n, 1),
    drift: [{ place: BOB, amountWei: -700n }],
  },
  {
    fault: "a partner's credit without a counterpart",
    plant: (world) => corrupt(world, CAROL, 'chips', 700n),
    drift: [{ place: LEDGERS, amountWei: -700n }],
  },
  {
    fault: 'tokens that left the vault past its books',
    plant: (world) => void (world.held.USDG -= 700n),
    drift: [{ place: VAULT, amountWei: -700n }],
  },
  {
    fault: 'a house withdrawal that was never booked',
    plant: (world) => void (world.see('house-withdrawn', HOUSE, 'USDG', 700n).toldAt = world.now),
    drift: [{ place: HOUSE, amountWei: -700n }],
  },
  {
    fault: 'a fee that was taken and booked nowhere',
    plant: (world) => corrupt(world, ALICE, 'fees', -7n),
    drift: [{ place: LEDGERS, amountWei: 7n }],
  },
  {
    fault: "the house's funds counted twice",
    plant: (world) => {
      const log = world.see('funded', HOUSE, 'USDG', 700n)
      world.tell(log)
      world.tell(log)
    },
    drift: [{ place: HOUSE, amountWei: -700n }],
  },
  {
    fault: 'a deposit that a reorganisation removed after it was credited',
    plant: (world) => {
      world.deposit(BOB, 'ETH', 700n)
      world.held.ETH -= 700n
      world.logs.pop()
    },
    drift: [{ place: OTHERS, amountWei: -700n, token: 'ETH' }],
  },
  {
    fault: 'a prize that was paid from the vault instead of the pool',
    plant: (world) => void world.see('withdrawn', '0xW1nner', 'ETH', 700n, 0),
    drift: [{ place: '0xW1nner', amountWei: -700n, token: 'ETH' }],
  },
  {
    fault: "a deposit that was credited to another wallet's ledger",
    plant: (world) => {
      const log = world.see('deposited', ALICE, 'USDG', 700n)
      log.account = BOB
      world.tell(log)
      log.account = ALICE
    },
    drift: [
      { place: OTHERS, amountWei: -700n },
      { place: ALICE, amountWei: 700n },
    ],
  },
]

describe('reconciliation finds, a quarter of an hour later,', () => {
  it.each(FAULTS)('$fault', ({ plant, drift }) => {
    const world = settledWorld()
    expect(world.reconcile().drifts).toEqual([])
    plant(world)
    const { books, drifts } = world.minutes(15)
    expect(drifts).toEqual(drift.map((place) => ({ token: 'USDG', ...place })))
    for (const token of TOKENS) {
      const sum = drifts.reduce(
        (total, found) => total + (found.token === token ? found.amountWei : 0n),
        0n,
      )
      expect(books[token].drift).toBe(sum)
    }
  })

  it.each(FAULTS)('$fault, as long as it stays, however much others play', ({ plant, drift }) => {
    const world = settledWorld()
    plant(world)
    for (let minute = 0; minute < 120; minute++) {
      world.deposit('0xDave', 'USDG', 1_000n)
      world.play('0xDave', 'USDG', 1_000n, minute % 2 === 0 ? 1_900n : 0n)
      const { drifts } = world.minutes(1)
      if (minute < 15) continue
      const sum = drifts.reduce((total, { amountWei }) => total + amountWei, 0n)
      expect(sum).toBe(drift.reduce((total, { amountWei }) => total + amountWei, 0n))
    }
  })
})

describe('a wallet hides no drift behind', () => {
  it('a larger withdrawal that waits', () => {
    const world = settledWorld()
    world.withdraw(ALICE, 'USDG', 10_000n)
    expect(world.minutes(15).drifts).toEqual([])
    world.see('withdrawn', ALICE, 'USDG', 700n, 1)
    expect(world.minutes(15).drifts).toEqual([{ token: 'USDG', place: ALICE, amountWei: -700n }])
    world.pay(ALICE)
    expect(world.minutes(15).drifts).toEqual([{ token: 'USDG', place: ALICE, amountWei: -700n }])
  })

  it('a withdrawal that waits, whose nonce pays something else', () => {
    const world = settledWorld()
    world.withdraw(ALICE, 'USDG', 10_000n)
    world.minutes(15)
    world.see('withdrawn', ALICE, 'USDG', 700n, 0)
    expect(world.minutes(1).drifts).toEqual([{ token: 'USDG', place: ALICE, amountWei: -700n }])
  })

  it('a withdrawal that waits and is paid twice', () => {
    const world = settledWorld()
    world.withdraw(ALICE, 'USDG', 10_000n)
    world.pay(ALICE)
    world.minutes(15)
    world.see('withdrawn', ALICE, 'USDG', 700n, 0)
    expect(world.minutes(1).drifts).toEqual([{ token: 'USDG', place: ALICE, amountWei: -700n }])
  })

  it('deposits and withdrawals that it makes again and again', () => {
    const world = settledWorld()
    world.move(ALICE, postingsOf('USDG', ['vault', 'chips', 700n]))
    for (let turn = 0; turn < 20; turn++) {
      world.deposit(ALICE, 'USDG', 5_000n)
      world.withdraw(ALICE, 'USDG', 5_000n)
      world.pay(ALICE)
      world.pass(30_000)
      world.confirm(ALICE)
      const { drifts } = world.minutes(6)
      if (turn > 1) expect(drifts).toEqual([{ token: 'USDG', place: ALICE, amountWei: -700n }])
    }
  })
})

describe('reconciliation stays silent', () => {
  it('while anything may be in flight', () => {
    const world = settledWorld()
    const log = world.see('deposited', ALICE, 'USDG', 900n)
    expect(world.reconcile()).toMatchObject({ drifts: [], books: { USDG: { inFlight: 900n } } })
    // The ledger can't be reached for an hour.
    expect(world.minutes(60).drifts).toEqual([])
    world.tell(log)
    world.withdraw(BOB, 'USDG', 500n)
    world.pay(BOB)
    world.sendPosition(BOB)
    expect(world.reconcile()).toMatchObject({ drifts: [], books: { USDG: { inFlight: 400n } } })
    // The relayer doesn't report the payment for hours.
    world.sendPosition(ALICE)
    expect(world.minutes(200)).toMatchObject({
      drifts: [],
      books: { USDG: { inFlight: -500n, drift: 0n } },
    })
    world.confirm(BOB)
    world.sendPosition(BOB)
    expect(world.reconcile()).toMatchObject({ drifts: [], books: { USDG: { inFlight: 0n } } })
  })

  it('about tokens that somebody sends to the vault, which cover no shortfall', () => {
    const world = settledWorld()
    world.held.USDG += 5n
    expect(world.reconcile()).toMatchObject({ drifts: [], books: { USDG: { unbooked: 5n } } })
    world.move(ALICE, postingsOf('USDG', ['vault', 'chips', 5n]))
    expect(world.minutes(15).drifts).toMatchObject([{ amountWei: -5n }])
  })

  it('through any honest traffic', () => {
    const step = fc.record({
      kind: fc.constantFrom(...Object.keys(HONEST)),
      wallet: fc.constantFrom(ALICE, BOB, CAROL, '0xDave'),
      token: fc.constantFrom(...TOKENS),
      amountWei: fc.bigInt({ min: 1n, max: 5_000n }),
    })
    forMany(200, fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => {
      const world = settledWorld()
      for (const { kind, ...order } of steps) {
        HONEST[kind]?.(world, order)
        expect(world.reconcile().drifts).toEqual([])
      }
    })
  })
})
