import type { Cast } from '../actors.ts'
import { get, post } from '../recording.ts'

const PATH = '/api/operate'
const FIELDS = [
  'string act',
  'string target',
  'string reason',
  'uint256 nonce',
  'uint256 expiresAt',
]
const EXPIRES_AT = 4_000_000_000

/** The owner's acts. `reproject` interrupts betting for a while, so this story comes last. */
export async function operator({ recorder, chain, owner, players }: Cast): Promise<void> {
  const player = players[3]
  if (!player) return
  const { nonce } = await recorder.ask<{ nonce: number }>('the next nonce', get(PATH))
  const order = { act: 'unfreeze', target: player.address, reason: 'A rehearsal.', nonce }
  const act = async (fields: object = {}, by = owner, more: object = {}) => {
    const ordered = { ...order, expiresAt: EXPIRES_AT, ...fields }
    const { nonce: number, expiresAt } = ordered
    const numbers = { nonce: BigInt(number), expiresAt: BigInt(expiresAt) }
    const signature = await chain.sign(by, 'OwnerAct', FIELDS, { ...ordered, ...numbers })
    return post(PATH, { ...ordered, signature, ...more })
  }
  await recorder.ask("an act that isn't the owner's", await act({}, player))
  await recorder.ask('an act with a later nonce', await act({ nonce: nonce + 5 }))
  await recorder.ask('an act that has expired', await act({ expiresAt: 1_000_000_000 }))
  await recorder.ask('an unknown act', await act({ act: 'enrich' }))
  await recorder.ask('an act with a malformed target', await act({ target: 'everybody' }))
  await recorder.ask('an act without a reason', await act({ reason: '' }))
  await recorder.ask(
    'a malformed act',
    await act({}, owner, { nonce: 'next', signature: 'signed' }),
  )

  await recorder.ask('an act', await act())
  await recorder.ask('the act again', await act())
  await recorder.ask('the same nonce for another act', await act({ reason: 'Another reason.' }))
  const acts = [
    ['release-withdrawal', `${player.address}:0`],
    ['confirm-withdrawal', `${player.address}:9`],
    ['reproject', 'positions'],
    ['reproject', 'everything'],
  ]
  for (const [index, [name, target]] of acts.entries()) {
    const request = await act({ act: name, target, nonce: nonce + 1 + index })
    await recorder.ask(`${name} ${target}`, request)
  }
  await recorder.ask('the next nonce at the end', get(PATH))
}
