/** What a partner has moved in one token on one UTC day, in smallest units. */
export interface DayTotals {
  creditedWei: bigint
  debitedWei: bigint
}

/** What a partner may still credit on a day: the limit, and as much again as it has debited. */
export function leftToday({ creditedWei, debitedWei }: DayTotals, dayLimitWei: bigint): bigint {
  const left = dayLimitWei + debitedWei - creditedWei
  return left > 0n ? left : 0n
}
