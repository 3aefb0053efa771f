/** What a payer wants shown, and when. Times in unix milliseconds. */
export interface RentalOrder {
  wallet: string
  startsAt: number
  endsAt: number
  label: string
  title: string
  imageUrl: string
  linkUrl: string
}

/** A rental of the advertising slot, as it is kept and shown. */
export interface Rental extends RentalOrder {
  id: string
}

/** Whether a rental is what an order asks for, whenever it was ordered: one of today begins then. */
export function isSameRental(rental: RentalOrder, order: RentalOrder): boolean {
  const what = ({ wallet, endsAt, label, title, imageUrl, linkUrl }: RentalOrder) =>
    JSON.stringify([wallet, endsAt, label, title, imageUrl, linkUrl])
  return what(rental) === what(order)
}
