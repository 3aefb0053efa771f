import type { Cast } from '../actors.ts'
import { get, post } from '../recording.ts'

const PATH = '/api/operate'
const FIELDS = 'string act, string target, string reason, uint256 nonce, uint256 expiresAt'

/** The owner's acts. `reproject` interrupts betting for a while, so this story comes last. */
export async function operator({ recorder, chain, owner, players }: Cast): Promise<void> {
  const player = players[3]
  const { nonce: first } = await recorder.ask<{ nonce: number }>('the next nonce', get(PATH))
  const order = { act: 'unfreeze', target: player.address, reason: 'A rehearsal.', nonce: first }
  const act = async (fields: object = {}, signer = owner) => {
    const whole = { ...order, expiresAt: 4_000_000_000, ...fields }
    const { nonce, expiresAt } = whole
    const numbers = { nonce: BigInt(nonce), expiresAt: BigInt(expiresAt) }
    const signature = await chain.sign(signer, 'OwnerAct', FIELDS, { ...whole, ...numbers })
    return post(PATH, { ...whole, signature })
  }
  const [paid, unknown] = [`${player.address}:0`, `${player.address}:9`]
  await recorder.askAll({
    "an act that isn't the owner's": await act({}, player),
    'an act with a later nonce': await act({ nonce: first + 5 }),
    'an act that has expired': await act({ expiresAt: 1_000_000_000 }),
    'a malformed act': await act({ act: 'enrich', target: 'everybody', reason: '' }),
    'an act': await act(),
    'the act again': await act(),
    'the same nonce for another act': await act({ reason: 'Another reason.' }),
    release: await act({ act: 'release-withdrawal', target: paid, nonce: first + 1 }),
    confirm: await act({ act: 'confirm-withdrawal', target: unknown, nonce: first + 2 }),
    reproject: await act({ act: 'reproject', target: 'everything', nonce: first + 3 }),
    'the next nonce at the end': get(PATH),
  })
}
