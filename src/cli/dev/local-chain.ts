import { join } from 'node:path'

export const LOCAL_CHAIN_ID = 31337

/** What each well-known account of the local chain has from its first block on, in ETH. */
const BALANCE_ETH = '1000000'

/** The command line of a chain of its own, from block zero, that mines whatever it is sent. */
export function localChain(projectDir: string, port: number): string[] {
  return [
    join(projectDir, 'node_modules/.bin/anvil'),
    ...['--port', String(port)],
    ...['--chain-id', String(LOCAL_CHAIN_ID)],
    ...['--balance', BALANCE_ETH],
    '--silent',
  ]
}

/** Where a local chain is spoken to. */
export function rpcUrlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}
