/** The simulated vault and its accounts. */
export const CHAIN = {
  chainId: 31_337,
  rpcUrl: 'http://chain.test',
  vault: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  usdg: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512',
  owner: '0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f',
  eth: '0x0000000000000000000000000000000000000000',
} as const
