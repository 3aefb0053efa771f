/**
 * What two recordings of one service need not share, by where it stands: the story, the exchange, `answer`
 * and the path of keys.
 */

/** Messages, which are for people. Codes, paths and values beside them are compared. */
export const FOR_PEOPLE = [
  /error\.message$/,
  /error\.details\.\d+\.message$/,
  / act\.result\.message$/,
  /^reference: .*\.(description|summary|message)$/,
]

/** Values that follow from a draw, the clock or the price of gas: their type alone is compared. */
export const UNSTABLE = [
  // The table at a moment, which may be of any round.
  /: the (table|state|stream).* answer ((state|win|entry)\.)?(roundId|msLeft|serverTime)$/,
  /: the (table|state|stream).* answer (state\.)?(seedHash|pepperSource\.pepperHash)$/,
  /: the (table|state|stream).* answer (state\.)?(betsCloseAt|flightAt)$/,
  /: the (table|state|stream).* answer (state\.)?history\.\d+\.\w+$/,
  /: the (table|state|stream).* answer (state\.)?recentWins\.\d+\.(mult|payout)$/,
  /^crash: the newest seeds.* answer rounds\./,
  // Where a round crashed, and what was won in it.
  /^crash: the .* (in|phase) (flight|results) answer (multiplier|crashPoint)$/,
  /^crash: .*\bcrash$/,
  /^crash: .*(win|won bet|cash-out\b.*) answer .*\b(multiplier|mult|payout|chips\.\w+)$/,
  // What the house has to lose, which bets and plays change, and the limits that follow from it.
  /\bbankroll\.amounts\.\w+$/,
  /\bmax(Round)?Payout(\.\w+)?$/,
  /\bmaxAmountWei$/,
  /^vault: a count.* answer (house\.\w+|relayer\.balanceWei)$/,
  // What was drawn in a play, and what it paid.
  /^entropy: .* (multiplier|win|payout|me\.chips\.\w+)$/,
  /^entropy: .* answer recent\.\d+\.(multiplier|win|payout)$/,
  /^entropy: .*\bmeta\.(mines\.\d+|result|bucket|path|draws\.\d+|hits(\.\d+)?)$/,
  // What an opening or a box has won.
  /^lootbox: .* answer (open|recentWins\.\d+|openings\.\d+)\.(tier|label|prize|asset|roll)$/,
  /^boxes: .* answer (boxes\.\d+\.)?(tier|prize)$/,
  /^boxes: .* reveal.* answer tx\.data$/,
  // Blocks, their times, and prices of gas.
  /^rpc: eth_(blockNumber|gasPrice) answer result$/,
  /^rpc: eth_getBlock(Receipts|TransactionCountByNumber) request params\.0$/,
  /^rpc: eth_getTransactionByBlockNumberAndIndex request params\.0$/,
  /^rpc: .*\b(number|blockNumber|oldestBlock|timestamp|blockTimestamp)$/,
  /^rpc: .*\b(gasPrice|maxFeePerGas|effectiveGasPrice|baseFeePerGas(\.\d+)?)$/,
  /^rpc: .*\b(balance|accountProof\.\d+|r|s|v|yParity|size)$/,
]

/** Lists whose length follows from how many rounds went by: each kind of element is compared once. */
export const SETS = [
  /: the (table|state|stream).* answer (state\.)?history$/,
  /^crash: the newest seeds.* answer rounds$/,
  /^rpc: .*\baccountProof$/,
]
