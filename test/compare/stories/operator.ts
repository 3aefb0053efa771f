import { privateKeyToAccount } from 'viem/accounts'
import type { Cast } from '../actors.ts'
import { get, post } from '../recording.ts'

const PATH = '/api/operate'
const TYPES = {
  OperatorAct: [
    { name: 'site', type: 'string' },
    { name: 'act', type: 'string' },
    { name: 'target', type: 'string' },
    { name: 'reason', type: 'string' },
    { name: 'expiresAt', type: 'uint256' },
  ],
} as const

/** The operators of local play: accounts of the well-known mnemonic. */
const ADMIN = privateKeyToAccount(
  '0xf214f2b2cd398c806f84e317254e0f0b801d0643303237d97a22a48e01628897',
)
const TREASURER = privateKeyToAccount(
  '0x701b615bbdfb9de65240bc28bd21bbc0d996645a3dd57e7b12bc2bdf6f192c82',
)

const LIFETIME_S = 3_600

/** The operators' acts. `reproject` interrupts betting for a while, so this story comes last. */
export async function operator({ manifest, recorder, players }: Cast): Promise<void> {
  const player = players[3]
  if (!player) return
  const { chainId, contracts } = manifest
  const { origin } = new URL(manifest.baseUrl)
  const domain = {
    name: 'FairhouseOperators',
    version: '1',
    chainId,
    verifyingContract: contracts.vault,
  }
  const expiresAt = Math.floor(Date.now() / 1_000) + LIFETIME_S
  const order = { act: 'unfreeze', target: player.address, reason: 'A rehearsal.', expiresAt }
  const act = async (fields: object = {}, by = ADMIN, more: object = {}) => {
    const ordered = { ...order, ...fields }
    const message = { ...ordered, site: origin, expiresAt: BigInt(ordered.expiresAt) }
    const signature = await by.signTypedData({
      domain,
      types: TYPES,
      primaryType: 'OperatorAct',
      message,
    })
    return post(PATH, { ...ordered, operator: by.address, signature, ...more })
  }
  await recorder.ask('the state, unsigned', get(PATH))
  await recorder.ask("an act that isn't an operator's", await act({}, player.account))
  await recorder.ask('an act that has expired', await act({ expiresAt: 1_000_000_000 }))
  await recorder.ask('an act that expires too late', await act({ expiresAt: 4_000_000_000 }))
  await recorder.ask('an unknown act', await act({ act: 'enrich' }))
  await recorder.ask('an act with a malformed target', await act({ target: 'everybody' }))
  await recorder.ask('an act without a reason', await act({ reason: '' }))
  await recorder.ask('a malformed act', await act({}, ADMIN, { signature: 'signed' }))

  await recorder.ask('an act', await act())
  await recorder.ask('the act again', await act())
  await recorder.ask('the act, confirmed', await act({}, TREASURER))
  const acts = [
    ['release-withdrawal', `${player.address}:0`],
    ['confirm-withdrawal', `${player.address}:9`],
    ['reproject', 'positions'],
    ['reproject', 'everything'],
  ]
  for (const [name, target] of acts) {
    await recorder.ask(`${name} ${target}`, await act({ act: name, target }))
    await recorder.ask(`${name}, by another`, await act({ act: name, target }, TREASURER))
  }
  await recorder.ask('the modes at the end', get(PATH, { action: 'modes' }))
}
