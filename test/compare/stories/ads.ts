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
const WRONG = { hours: 25, date: '2020-02-31', title: 'two\nlines', linkUrl: 'https://localhost/' }

/** The slot before and after a rental. */
export async function ads({ recorder, chain, players }: Cast): Promise<void> {
  const [, , , other, player] = players
  const read = get(PATH)
  const free = await recorder.ask<Availability>('the slots', read)
  const [date, tomorrow] = free.availableSlots.map((slot) => slot.date)
  const [{ hours, eth: value }] = free.tiers
  const pay = { to: free.protocolWallet, value }
  const rent = (txHash: string, fields: object = {}, { credentials } = player) =>
    post(PATH, { action: 'rent', ...credentials, txHash, date, hours, ...SHOWN, ...fields })

  const txHash = await chain.paused(async () => {
    const sent = await chain.send(player, pay)
    await recorder.ask('a rental whose payment is not mined', rent(sent))
    return sent
  })
  await recorder.until('a rental', rent(txHash))
  const isShown = ({ activeRental }: Availability) => activeRental !== null
  await recorder.until<Availability>('the slots with a rental', read, isShown)
  const second = await chain.pay(player, pay)
  const less = await chain.pay(player, { ...pay, value: BigInt(value) - 1n })
  await recorder.askAll({
    'the rental again': rent(txHash),
    'the payment for another date': rent(txHash, { date: tomorrow }),
    "another's payment": rent(txHash, {}, other),
    'a slot that is taken': rent(second),
    'the payment for a free slot': rent(second, { date: tomorrow }),
    'a payment that is too small': rent(less, { date: free.availableSlots[5]?.date }),
    'a rental without a signature': rent(txHash, { authSig: '' }),
    'a malformed rental': rent(second, WRONG),
  })
}
