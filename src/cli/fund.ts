// npm run fund: puts an account's own tokens into the house's bankroll.
import { getAddress, isAddress } from 'viem'
import { TOKENS } from '../money/token.ts'
import { expectBalance, findVault } from './fund/vault.ts'
import { readAmount, showAmount } from './shared/amounts.ts'
import { ChainWallet } from './shared/chain-wallet.ts'
import { is32Bytes, readArgs, runCommand, UsageError } from './shared/terminal.ts'

const USAGE = `Usage: FUNDER_PRIVATE_KEY=0x… npm run fund -- --rpc URL --vault 0x… --token ETH --amount 10

  --rpc URL       a node of the vault's chain
  --vault 0x…     the vault
  --token TOKEN   ${TOKENS.join(' or ')}
  --amount A      how much, in whole tokens

The tokens become the house's bankroll. Only the vault's owner can take them out again.`

const OPTIONS = {
  rpc: { type: 'string' },
  vault: { type: 'string' },
  token: { type: 'string' },
  amount: { type: 'string' },
} as const

void runCommand(async () => {
  const { values } = readArgs(USAGE, { options: OPTIONS })
  const key = process.env['FUNDER_PRIVATE_KEY']
  if (!is32Bytes(key)) {
    throw new UsageError('FUNDER_PRIVATE_KEY must be 0x and 64 hex digits.', USAGE)
  }
  const { rpc: rpcUrl, vault, amount } = values
  const token = TOKENS.find((known) => known === values.token)
  if (rpcUrl === undefined || vault === undefined || !isAddress(vault) || !token || !amount) {
    throw new UsageError('--rpc, --vault, --token and --amount are all needed.', USAGE)
  }
  const amountWei = readAmount(amount, token)
  const found = await findVault(rpcUrl, key, getAddress(vault))
  const wallet = new ChainWallet(found, key)
  await expectBalance(wallet, token, amountWei)
  const hash = await wallet.fund(token, amountWei)
  console.log(`The house has ${showAmount(amountWei, token)} more: ${hash}`)
  return 0
})
