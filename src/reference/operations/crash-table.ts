import { BetsAnswer, HistoryAnswer } from '../../api/crash/answers-schema.ts'
import { BetsQuery } from '../../api/crash/schema.ts'
import { action } from '../bodies.ts'
import { CRASH, OTHER_WALLET, ROUND_ID, STAKE, WALLET } from '../examples.ts'
import type { Call } from '../operation.ts'

/** The bets of a round. */
export const bets: Call = {
  name: 'bets',
  summary: 'The bets of a round',
  description:
    'The largest bets of the current round as they come and are cashed out, or of an ended round. Lags its round by at most 250 ms. The multipliers of automatic cash-outs stay secret until the round has ended; then `action=round` lists them, and every bet.',
  limit: 'reads',
  query: action('bets', BetsQuery),
  answers: { 200: BetsAnswer },
  refusals: ['invalid_request', 'not_found', 'unknown_action'],
  example: {
    query: { action: 'bets', wallet: WALLET },
    answer: {
      ok: true,
      roundId: ROUND_ID + 1,
      betsRoot: null,
      totals: { ETH: { count: 0, amountWei: '0' }, USDG: { count: 2, amountWei: '3500000' } },
      bets: [
        { wallet: WALLET, token: 'USDG', amountWei: STAKE, multiplier: null, payout: null },
        {
          wallet: OTHER_WALLET,
          token: 'USDG',
          amountWei: '1000000',
          multiplier: null,
          payout: null,
        },
      ],
    },
  },
}

/** Results of the newest rounds. */
export const history: Call = {
  name: 'history',
  summary: 'Results of the newest rounds',
  description: 'Further back than the state of the table.',
  limit: 'reads',
  query: action('history'),
  answers: { 200: HistoryAnswer },
  refusals: ['unknown_action'],
  example: {
    query: { action: 'history' },
    answer: { ok: true, history: [{ roundId: ROUND_ID, crash: CRASH }] },
  },
}
