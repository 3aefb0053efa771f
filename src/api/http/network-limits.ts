/**
 * Calls that are counted for the client's whole network, because one client holds many addresses, and wallets and
 * invented names are free. They are grouped by their cost, each with the limit that it counts against.
 */
export const NETWORK_LIMITS = {
  // They make the chain's node work, which pays withdrawals.
  boxes: 'MONEY_CALLS',
  contracts: 'MONEY_CALLS',
  payments: 'MONEY_CALLS',
  signIns: 'MONEY_CALLS',
  // They may store a wallet's first row, permanently.
  newWallets: 'MONEY_CALLS',
  // All of them call the same round.
  betless: 'MONEY_CALLS',
  // A verification takes 25 ms of processor time, and other rounds' beacons are millions of valid-looking signatures.
  beacons: 'MONEY_CALLS',
  // Another site would turn the service away, with all its players.
  sharedPosts: 'MONEY_CALLS',
  // Rounds wait for the log's object, and for the table.
  log: 'READS',
  endedRounds: 'READS',
  // Anyone may name any wallet, whose player waits for the same objects.
  openings: 'READS',
  walletReads: 'READS',
  // The same object makes the exports.
  exports: 'READS',
} as const satisfies Record<string, 'MONEY_CALLS' | 'READS'>
