/**
 * The values that may differ between two recordings of the same service. Each pattern matches a place:
 * the exchange's name, `request` or `answer`, and the path of keys.
 */

/** Messages for people. The codes, paths and values beside them are compared. */
export const FOR_PEOPLE = [
  /error\.message$/,
  /error\.details\.\d+\.message$/,
  / act\.result\.message$/,
  /^reference: .*\.message$/,
]

/** Values that depend on a draw, the clock or the price of gas. Only their type is compared. */
export const UNSTABLE = [
  // Signatures are randomised.
  / answer receipt$/,
  // The table at some moment of any round.
  /: the (table|state|stream).* answer ((state|win|entry)\.)?(roundId|msLeft|serverTime)$/,
  /: the (table|state|stream).* answer (state\.)?(seedHash|pepperSource\.pepperHash)$/,
  /: the (table|state|stream).* answer (state\.)?(betsCloseAt|flightAt)$/,
  /: the (table|state|stream).* answer (state\.)?history\.\d+\.\w+$/,
  /: the (table|state|stream).* answer (state\.)?recentWins\.\d+\.(mult|payout)$/,
  /^crash: the newest seeds.* answer rounds\./,
  // Crash points and winnings.
  /^crash: the .* (in|phase) (flight|results) answer (multiplier|crashPoint)$/,
  /^crash: .*\bcrash$/,
  /^crash: .*(win|won bet|cash-out\b.*) answer .*\b(multiplier|mult|payout|chips\.\w+)$/,
  // The bankroll, which bets and plays change, and the limits that follow from it.
  /\bbankroll\.amounts\.\w+$/,
  /\bmax(Round)?Payout(\.\w+)?$/,
  /\bmaxAmountWei$/,
  /^vault: a count.* answer (house\.\w+|relayer\.balanceWei)$/,
  // The count of debts, by the players' results and the chain's blocks.
  /^vault: the debts.* answer (?!ok$)/,
  // Outcomes and payouts of plays.
  /^entropy: .* (multiplier|win|payout|me\.chips\.\w+)$/,
  /^entropy: .* answer recent\.\d+\.(multiplier|win|payout)$/,
  /^entropy: .*\bmeta\.(mines\.\d+|result|bucket|path|draws\.\d+|hits(\.\d+)?)$/,
  // Prizes of openings and boxes.
  /^lootbox: .* answer (open|recentWins\.\d+|openings\.\d+)\.(tier|label|prize|asset|roll)$/,
  /^boxes: .* answer (boxes\.\d+\.)?(tier|prize)$/,
  /^boxes: .* reveal.* answer tx\.data$/,
  // Blocks, their times, and gas prices.
  /^rpc: eth_(blockNumber|gasPrice) answer result$/,
  /^rpc: eth_getBlock(Receipts|TransactionCountByNumber) request params\.0$/,
  /^rpc: eth_getTransactionByBlockNumberAndIndex request params\.0$/,
  /^rpc: .*\b(number|blockNumber|oldestBlock|timestamp|blockTimestamp)$/,
  /^rpc: .*\b(gasPrice|maxFeePerGas|effectiveGasPrice|baseFeePerGas(\.\d+)?)$/,
  /^rpc: eth_feeHistory answer result\.gasUsedRatio\.\d+$/,
  /^rpc: .*\b(balance|accountProof\.\d+|r|s|v|yParity|size)$/,
]

/** Lists of unpredictable length. Equal elements count once, in any order. */
export const SETS = [
  /: the (table|state|stream).* answer (state\.)?history$/,
  /^crash: the newest seeds.* answer rounds$/,
  /^rpc: .*\baccountProof$/,
  /^vault: the debts.* answer proof\.siblings$/,
]
