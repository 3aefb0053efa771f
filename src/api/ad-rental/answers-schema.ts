import { z } from 'zod'
import type { Rental as Rented } from '../../ad-rental/rental.ts'
import { AD_DAYS, type shownTier } from '../../ad-rental/slots.ts'
import {
  address,
  amount,
  count,
  describes,
  ok,
  text,
  txHash,
  unixMs,
} from '../http/answers-schema.ts'

const Rental = describes<Rented>()(
  z
    .object({
      id: txHash('The payment for the rental'),
      wallet: address('The renter'),
      startsAt: unixMs('Start of the rental'),
      endsAt: unixMs('End of the rental'),
      label: text("The tier's name."),
      title: text('The title: plain text on one line.'),
      imageUrl: text('The image: an https URL.'),
      linkUrl: text('The link target: an https URL.'),
    })
    .meta({ id: 'Rental', description: 'A rental of the advertising slot.' }),
)

const Tier = describes<ReturnType<typeof shownTier>>()(
  z.object({
    hours: count('The length, in hours.'),
    days: count('The length, in days.'),
    label: text("The tier's name."),
    eth: amount("The price, in the chain's native coin"),
  }),
)

export const AvailabilityAnswer = z
  .object({
    ok,
    activeRental: Rental.nullable().meta({
      description: 'The rental shown now; null while the slot is free.',
    }),
    availableSlots: z
      .array(
        z.object({
          date: z.iso.date().meta({ description: 'A UTC day, as YYYY-MM-DD.' }),
          available: z.boolean().meta({ description: 'Whether the day can be rented.' }),
        }),
      )
      .meta({ description: `The next ${AD_DAYS} UTC days, today first.` }),
    tiers: z.array(Tier).meta({ description: 'The lengths of rental and their prices.' }),
    protocolWallet: address('The recipient of payments'),
  })
  .meta({ id: 'AdAvailability' })

export const RentAnswer = z.object({ ok, rental: Rental }).meta({ id: 'RentAnswer' })
