import { erc20Abi, parseAbi } from 'viem'

/** The functions of USDG and of the tokens of local play: ERC-20, minting, ERC-2612 and ERC-5267. */
export const tokenAbi = [
  ...erc20Abi,
  ...parseAbi([
    'function mint(address to, uint256 amount)',
    'function nonces(address owner) view returns (uint256)',
    'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
  ]),
] as const
