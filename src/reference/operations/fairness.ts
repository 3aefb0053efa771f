import { KeysAnswer } from '../../api/receipts/answers-schema.ts'
import { RECEIPT_KEY } from '../examples.ts'
import type { TagOperation } from '../operation.ts'

export const fairnessOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/.well-known/jwks.json',
    id: 'getReceiptKeys',
    summary: 'The keys of receipts',
    description:
      'Every accepted bet, cash-out, play, withdrawal and partner’s transaction is answered with a signed `receipt`, a compact JWS (ES256). `npm run verify -- <receipt>` checks it. A published key stays published.',
    name: 'keys',
    limit: 'reads',
    answers: { 200: KeysAnswer },
    example: { answer: { keys: [RECEIPT_KEY] } },
  },
]
