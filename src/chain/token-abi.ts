import { erc20Abi, parseAbi } from 'viem'

/** The functions of a token that its owner can mint: those of local play and of tests, and the reward token. */
export const mintableAbi = [
  ...erc20Abi,
  ...parseAbi(['function mint(address to, uint256 amount)']),
] as const
