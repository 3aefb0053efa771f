import { join } from 'node:path'

export const LOCAL_CHAIN_ID = 31337

/** The initial balance of each development account on the local chain, in ETH. */
const BALANCE_ETH = '1000000'

/**
 * The number of recent blocks whose states anvil keeps, in memory. By default it writes older states to the home
 * folder, 100 kB a block, and never deletes them.
 */
const KEPT_STATES = 500

/** Returns the command line of a new local chain, which mines each transaction immediately. */
export function localChain(projectDir: string, port: number): string[] {
  return [
    join(projectDir, 'node_modules/.bin/anvil'),
    '--port',
    String(port),
    '--chain-id',
    String(LOCAL_CHAIN_ID),
    '--balance',
    BALANCE_ETH,
    '--prune-history',
    String(KEPT_STATES),
    '--silent',
  ]
}

/** Returns the URL of a local chain's node. */
export function rpcUrlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}
