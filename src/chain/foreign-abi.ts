import { erc20Abi, parseAbi } from 'viem'

/** The functions that the code calls of contracts that are not ours. */

/** The functions of USDG and of the tokens of local play: ERC-20 and minting. */
export const tokenAbi = [
  ...erc20Abi,
  ...parseAbi(['function mint(address to, uint256 amount)']),
] as const

/** A Chainlink price feed. */
export const priceFeedAbi = parseAbi([
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])

/** A Uniswap v2 router. WETH is its wrapper of the chain's native coin. */
export const routerAbi = parseAbi([
  'function WETH() view returns (address)',
  'function getAmountsIn(uint256 amountOut, address[] path) view returns (uint256[] amounts)',
])
