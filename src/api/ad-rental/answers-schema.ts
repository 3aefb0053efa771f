import { z } from 'zod'
import type { Rental as Rented } from '../../ad-rental/rental.ts'
import { AD_DAYS, type shownTier } from '../../ad-rental/slots.ts'
import {
  address,
  amount,
  component,
  count,
  describes,
  flag,
  list,
  describedComponent,
  ok,
  orNull,
  records,
  text,
  txHash,
  unixMs,
} from '../http/answers-schema.ts'

const Rental = describes<Rented>()(
  describedComponent('Rental', 'A rental of the advertising slot.', {
    id: txHash('The payment for the rental'),
    wallet: address('The renter'),
    startsAt: unixMs('Start of the rental'),
    endsAt: unixMs('End of the rental'),
    label: text("The tier's name."),
    title: text('The title: plain text on one line.'),
    imageUrl: text('The image: an https URL.'),
    linkUrl: text('The link target: an https URL.'),
  }),
)

const Tier = describes<ReturnType<typeof shownTier>>()(
  z.object({
    hours: count('The length, in hours.'),
    days: count('The length, in days.'),
    label: text("The tier's name."),
    eth: amount("The price, in the chain's native coin"),
  }),
)

export const AvailabilityAnswer = component('AdAvailability', {
  ok,
  activeRental: orNull(
    'The rental shown now; null while the slot is free, or if the operator has taken the ad down.',
    Rental,
  ),
  availableSlots: records(`The next ${AD_DAYS} UTC days, today first.`, {
    date: z.iso.date().describe('A UTC day, as YYYY-MM-DD.'),
    available: flag('Whether the day can be rented.'),
  }),
  tiers: list('The lengths of rental and their prices.', Tier),
  protocolWallet: address('The recipient of payments'),
})

export const RentAnswer = component('RentAnswer', { ok, rental: Rental })
