import { address, component, hex, ok, records } from '../http/answers-schema.ts'
import { MeAnswer } from '../ledger/answers-schema.ts'

export const FaucetAnswer = component('FaucetAnswer', { ok, me: MeAnswer })

export const PlayersAnswer = component('DevPlayers', {
  ok,
  players: records('Wallets with publicly known keys.', {
    address: address('The wallet'),
    privateKey: hex('The private key'),
  }),
})
