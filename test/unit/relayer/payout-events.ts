import type { PayoutEvent, PayoutProgress, PayoutState } from '../../../src/relayer/payout-state.ts'
import type { Order, OrderStep } from '../../../src/relayer/payout.ts'

export type Payout = PayoutProgress & { order: Order }
export type Kind = Order['kind']

const TOKEN = { vaultId: '1:0x', token: 'ETH' } as const
const ORDERS: { [K in Kind]: Order } = {
  withdrawal: {
    kind: 'withdrawal',
    ...TOKEN,
    player: '0xP',
    amountWei: '5',
    nonce: 0,
    signature: '0x01',
    isSmall: false,
  },
  prize: {
    kind: 'prize',
    prizeId: '0x01',
    pool: '0xA',
    chainId: 1,
    to: '0xP',
    asset: 'ETH',
    amountWei: '5',
    opening: 'spin',
  },
  result: { kind: 'result', ...TOKEN, resultWei: '5', at: 0 },
  cancel: { kind: 'cancel', vaultId: '1:0x' },
}

export const STATES: PayoutState[] = ['queued', 'sent', 'confirmed', 'failed', 'closed']
export const STEPS: { [K in Kind]: OrderStep[] } = {
  withdrawal: ['withdraw', 'burn'],
  prize: ['prize'],
  result: ['record', 'cancel'],
  cancel: ['cancel'],
}

function mined(step: OrderStep, how: 'ok' | 'reverted' | 'early', hasAnother = false): PayoutEvent {
  return {
    kind: 'mined',
    step,
    isSuccess: how === 'ok',
    isOutOfTurn: how === 'early',
    hasAnother,
  }
}

const EVENTS: { [name: string]: PayoutEvent } = {
  ordered: { kind: 'ordered' },
  'signed withdraw': { kind: 'signed', step: 'withdraw' },
  'signed burn': { kind: 'signed', step: 'burn' },
  'signed prize': { kind: 'signed', step: 'prize' },
  'signed record': { kind: 'signed', step: 'record' },
  'signed cancel': { kind: 'signed', step: 'cancel' },
  'redirected withdraw': { kind: 'redirected', step: 'withdraw' },
  'redirected burn': { kind: 'redirected', step: 'burn' },
  abandoned: { kind: 'abandoned' },
  cancelled: { kind: 'cancelled' },
  'ended confirmed': { kind: 'ended', as: 'confirmed' },
  'ended failed': { kind: 'ended', as: 'failed' },
  dropped: { kind: 'dropped' },
  'mined withdraw': mined('withdraw', 'ok'),
  'reverted withdraw': mined('withdraw', 'reverted'),
  'early withdraw': mined('withdraw', 'early'),
  'reverted withdraw, another': mined('withdraw', 'reverted', true),
  'early withdraw, another': mined('withdraw', 'early', true),
  'mined burn': mined('burn', 'ok'),
  'reverted burn': mined('burn', 'reverted'),
  'reverted burn, another': mined('burn', 'reverted', true),
  'mined prize': mined('prize', 'ok'),
  'reverted prize': mined('prize', 'reverted'),
  'reverted prize, another': mined('prize', 'reverted', true),
  'mined record': mined('record', 'ok'),
  'reverted record': mined('record', 'reverted'),
  'reverted record, another': mined('record', 'reverted', true),
  'mined cancel': mined('cancel', 'ok'),
  'reverted cancel': mined('cancel', 'reverted'),
  'reverted cancel, another': mined('cancel', 'reverted', true),
  lost: { kind: 'lost', hasAnother: false },
  'lost, another': { kind: 'lost', hasAnother: true },
  'resolved confirmed': { kind: 'resolved', as: 'confirmed', isUnordered: false },
  'resolved failed': { kind: 'resolved', as: 'failed', isUnordered: false },
  'unordered confirmed': { kind: 'resolved', as: 'confirmed', isUnordered: true },
  'unordered failed': { kind: 'resolved', as: 'failed', isUnordered: true },
}

/** The events of each kind of order, in the order of {@link EVENTS}. */
export const EVENTS_OF: { [K in Kind]: string[] } = {
  withdrawal: Object.keys(EVENTS).filter(
    (name) => !/prize|record|cancel|abandoned|cancelled/.test(name),
  ),
  prize: ['ordered', 'ended confirmed', 'dropped', 'lost', 'lost, another'].concat(
    Object.keys(EVENTS).filter((name) => name.includes('prize')),
  ),
  result: ['abandoned', 'cancelled', 'lost', 'lost, another'].concat(
    Object.keys(EVENTS).filter((name) => /record|(mined|reverted) cancel/.test(name)),
  ),
  cancel: ['lost', 'lost, another'].concat(
    Object.keys(EVENTS).filter((name) => / cancel/.test(name)),
  ),
}

/** Returns a payout. @param text its state, and its flags after it */
export function payoutOf(kind: Kind, step: OrderStep, text: string): Payout {
  const [state, ...flags] = text.split(' ')
  return {
    order: ORDERS[kind],
    step,
    state: state as PayoutState,
    isRefunded: flags.includes('refunded'),
    isBooked: flags.includes('booked'),
  }
}

export function eventOf(name: string): PayoutEvent {
  const event = EVENTS[name]
  if (!event) throw new Error(`no event is called ${name}`)
  return event
}
