import { z } from 'zod'
import { address, hex, ok } from '../http/answers-schema.ts'
import { MeAnswer } from '../ledger/answers-schema.ts'

export const FaucetAnswer = z.object({ ok, me: MeAnswer }).meta({ id: 'FaucetAnswer' })

export const PlayersAnswer = z
  .object({
    ok,
    players: z
      .array(z.object({ address: address('The wallet'), privateKey: hex('The private key') }))
      .meta({ description: 'Wallets with publicly known keys.' }),
  })
  .meta({ id: 'DevPlayers' })
