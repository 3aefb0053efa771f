import { ROLES } from '../../operator/roles.ts'
import {
  address,
  bytes32,
  component,
  hex,
  ok,
  oneOf,
  orNull,
  record,
  records,
  text,
} from '../http/answers-schema.ts'
import { MeAnswer } from '../ledger/answers-schema.ts'

export const FaucetAnswer = component('FaucetAnswer', { ok, me: MeAnswer })

export const PlayersAnswer = component('DevPlayers', {
  ok,
  players: records('Wallets with publicly known keys.', {
    address: address('The wallet'),
    privateKey: hex('The private key'),
  }),
  logKey: orNull(
    'The key that verifies the log, or null without one. Each start of `npm run dev` has another.',
    text('The key, as `/log/key` answers it.'),
  ),
})

export const OperatorsAnswer = component('DevOperators', {
  ok,
  operators: records('Operators with publicly known keys.', {
    address: address('The wallet'),
    privateKey: hex('The private key'),
    role: oneOf('The role.', ROLES),
  }),
})

export const CloseDayAnswer = component('DevClosedDay', {
  ok,
  day: orNull(
    'The newest exported day, or null before the first.',
    record('An exported day.', {
      day: text('The UTC day, as YYYY-MM-DD.'),
      manifest: text('The path of its manifest.'),
      sha256: bytes32("The sha256 of the manifest's bytes"),
    }),
  ),
})
