import type { Cast } from '../actors.ts'
import { get } from '../recording.ts'

/** The message a wallet signs, and refusals of missing and wrong signatures. */
export async function signIn({ recorder, players: [player, other] }: Cast): Promise<void> {
  if (!player || !other) return
  const { address } = player
  const asked = (wallet: string) => get('/api/auth/message', { wallet })
  await recorder.ask('the message', asked(address))
  await recorder.ask('the message, for lower case', asked(address.toLowerCase()))
  await recorder.ask('the message, for upper case', asked(`0x${address.slice(2).toUpperCase()}`))
  await recorder.ask('a wrong checksum', asked(address.replace('f', 'F').replace('C', 'c')))
  await recorder.ask('no address', asked('0x1234'))
  await recorder.ask('no wallet', get('/api/auth/message'))

  const state = (query: Record<string, string>) => get('/api/crash', query)
  await recorder.ask('no credentials', state({}))
  await recorder.ask('no signature', state({ wallet: address }))
  await recorder.ask('no wallet beside a signature', state({ authSig: player.authSig }))
  await recorder.ask('a malformed wallet', state({ wallet: '0x12', authSig: player.authSig }))
  await recorder.ask('a malformed signature', state({ wallet: address, authSig: 'signed' }))
  await recorder.ask("another's signature", state({ wallet: address, authSig: other.authSig }))
}
