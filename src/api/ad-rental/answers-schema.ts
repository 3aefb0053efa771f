import { z } from 'zod'
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
import type { Rental as Rented } from '../../ad-rental/rental.ts'
import { AD_DAYS, type shownTier } from '../../ad-rental/slots.ts'

const Rental = describes<Rented>()(
  z
    .object({
      id: txHash('The payment that it was booked with'),
      wallet: address('Who rents'),
      startsAt: unixMs('When it begins'),
      endsAt: unixMs('When it ends'),
      label: text("The tier's name."),
      title: text('Plain text on one line.'),
      imageUrl: text('What is shown: an https URL.'),
      linkUrl: text('Where it leads: an https URL.'),
    })
    .meta({ id: 'Rental', description: 'A rental of the slot.' }),
)

const Tier = describes<ReturnType<typeof shownTier>>()(
  z.object({
    hours: count('How long, in hours.'),
    days: count('How long, in days.'),
    label: text('Its name.'),
    eth: amount("The price, of the chain's own coin"),
  }),
)

export const AvailabilityAnswer = z
  .object({
    ok,
    activeRental: Rental.nullable().meta({ description: 'What is shown now; null if nothing is.' }),
    availableSlots: z
      .array(
        z.object({
          date: z.iso.date().meta({ description: 'A UTC day, as YYYY-MM-DD.' }),
          available: z.boolean().meta({ description: 'Whether it can be rented.' }),
        }),
      )
      .meta({ description: `The next ${AD_DAYS} UTC days, today first.` }),
    tiers: z.array(Tier).meta({ description: 'How long it can be rented for, and for how much.' }),
    protocolWallet: address('Who is to be paid'),
  })
  .meta({ id: 'AdAvailability' })

export const RentAnswer = z.object({ ok, rental: Rental }).meta({ id: 'RentAnswer' })
