import { AvailabilityAnswer, RentAnswer } from '../../api/ad-rental/answers-schema.ts'
import { RentBody } from '../../api/ad-rental/schema.ts'
import { PendingAnswer } from '../../api/payment/answers-schema.ts'
import { signedAction } from '../bodies.ts'
import { CONTRACT, DAY, NOW, SIGNED, TX_HASH, WALLET } from '../examples.ts'
import type { TagOperation } from '../operation.ts'

const shown = {
  title: 'Play fair',
  imageUrl: 'https://cdn.example.com/banner.png',
  linkUrl: 'https://example.com/',
}
const rental = {
  id: TX_HASH,
  wallet: WALLET,
  startsAt: NOW,
  endsAt: NOW + 43_200_000,
  label: 'One day',
  ...shown,
}

export const adOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/ad-rental',
    id: 'getAdRental',
    summary: 'The current rental, the available days and the prices',
    name: 'availability',
    limit: 'reads',
    answers: { 200: AvailabilityAnswer },
    example: {
      answer: {
        ok: true,
        activeRental: rental,
        availableSlots: [{ date: DAY, available: false }],
        tiers: [{ hours: 24, days: 1, label: 'One day', eth: '10000000000000000' }],
        protocolWallet: CONTRACT,
      },
    },
  },
  {
    method: 'post',
    path: '/api/ad-rental',
    id: 'postAdRental',
    summary: 'Rent the advertising slot',
    calls: [
      {
        name: 'rent',
        summary: 'Rent the advertising slot with a payment',
        description:
          "The payment is a plain transfer of exactly the tier's price from `wallet` to `protocolWallet`, no older than 24 hours when first presented. Until the payment is confirmed the answer is 202. If another payer was first, the payment remains valid for another date.",
        caller: 'wallet',
        limit: 'money',
        networkLimit: 'payments',
        body: signedAction('rent', RentBody),
        answers: { 200: RentAnswer, 202: PendingAnswer },
        refusals: ['payment_mismatch', 'payment_used', 'slot_taken', 'chain_unavailable'],
        example: {
          body: {
            action: 'rent',
            ...SIGNED,
            txHash: TX_HASH,
            date: DAY,
            hours: 24,
            ...shown,
          },
          answer: { ok: true, rental },
        },
      },
    ],
  },
]
