import type { Address } from 'viem'
import type { Cast } from '../actors.ts'
import { get, post } from '../recording.ts'

const PATH = '/api/ad-rental'

interface Availability {
  availableSlots: { date: string }[]
  tiers: [{ hours: number; eth: string }]
  protocolWallet: Address
  activeRental: object | null
}

const SHOWN = {
  title: '  Play fair ',
  imageUrl: 'https://cdn.example.com/banner.png',
  linkUrl: 'https://example.com',
}

const WRONG_ADS: [what: string, fields: object][] = [
  ['an unknown length', { hours: 25 }],
  ['a past date', { date: '2020-01-01' }],
  ['an impossible date', { date: '2020-02-31' }],
  ['an empty title', { title: ' ' }],
  ['a title of two lines', { title: 'two\nlines' }],
  ['an image without https', { imageUrl: 'http://example.com/a.png' }],
  ['a link to a private name', { linkUrl: 'https://localhost/' }],
  ['a malformed payment', { txHash: '0x12' }],
]

/** The slot before and after a rental. */
export async function ads({ recorder, chain, players }: Cast): Promise<void> {
  const player = players[4]
  const other = players[3]
  if (!player || !other) return
  const read = get(PATH)
  const { availableSlots, tiers, protocolWallet } = await recorder.ask<Availability>(
    'the slots',
    read,
  )
  const [today = '', tomorrow = ''] = availableSlots.map(({ date }) => date)
  const [{ hours, eth }] = tiers
  const pay = { to: protocolWallet, value: eth }
  const rent = (txHash: string, fields: object = {}, by = player) =>
    post(PATH, {
      action: 'rent',
      ...by.credentials,
      txHash,
      date: today,
      hours,
      ...SHOWN,
      ...fields,
    })

  const txHash = await chain.paused(async () => {
    const sent = await chain.send(player, pay)
    await recorder.ask('a rental whose payment is not mined', rent(sent))
    return sent
  })
  await recorder.until<object>('a rental', rent(txHash), (_, status) => status === 200)
  await recorder.ask('the rental again', rent(txHash))
  await recorder.ask('the payment for another date', rent(txHash, { date: tomorrow }))
  await recorder.ask("another's payment", rent(txHash, {}, other))
  const isShown = ({ activeRental }: Availability) => activeRental !== null
  await recorder.until<Availability>('the slots with a rental', read, isShown)

  const second = await chain.pay(player, pay)
  await recorder.ask('a slot that is taken', rent(second))
  await recorder.ask('the payment for a free slot', rent(second, { date: tomorrow }))
  const less = await chain.pay(player, { ...pay, value: BigInt(eth) - 1n })
  await recorder.ask('a payment that is too small', rent(less, { date: availableSlots[5]?.date }))
  await recorder.ask('no payment', rent(`0x${'22'.repeat(32)}`))
  await recorder.ask('a rental without a signature', rent(txHash, { authSig: '' }))
  const unspent = await chain.pay(player, pay)
  for (const [what, fields] of WRONG_ADS) await recorder.ask(what, rent(unspent, fields))
}
