import type { Mutant } from './mutants.ts'

const VAULT_TRANSACTIONS = 'durable-objects/ledger/vault-transactions.ts'
const ASKING = 'src/chain/contract-wallet.ts'
const PAYER = 'durable-objects/relayer/payer.ts'
const SIGN_IN = 'src/api/auth/wallet-signature.ts'

const SIGN = 'contracts sign, and change their minds'
const WASTE = 'contracts waste gas for minutes'
const GONE = 'confirmed deposits never come back'

/** Breaks that only wallets with code or lost deposits can show. */
export const CONTRACT_MUTANTS: Mutant[] = [
  {
    name: "a contract's yes counts for any signature of its wallet",
    edits: [
      [SIGN_IN, 'cacheFor(authSig).get(`${wallet} ${authSig}`)', 'cacheFor(authSig).get(wallet)'],
      [SIGN_IN, 'setBounded(cache, `${wallet} ${authSig}`,', 'setBounded(cache, wallet,'],
    ],
    within: 500,
    theme: SIGN,
  },
  {
    name: "a contract's yes counts for the whole day",
    edits: [[SIGN_IN, 'CONTRACT_VERDICT_MS = 60_000', 'CONTRACT_VERDICT_MS = 86_400_000']],
    within: 1_000,
    theme: WASTE,
  },
  {
    name: 'a withdrawal is accepted if its contract cannot be asked',
    edits: [
      [
        'src/api/auth/account-signature.ts',
        "logFault('contract_wallet_read_failed', fault)\n    return null",
        "logFault('contract_wallet_read_failed', fault)\n    return true",
      ],
    ],
    within: 2_000,
    theme: SIGN,
  },
  {
    name: 'a contract is asked with more gas than the vault gives it',
    edits: [[ASKING, 'VAULT_SIGNATURE_GAS = 400_000n', 'VAULT_SIGNATURE_GAS = 3_000_000n']],
    within: 500,
    theme: SIGN,
  },
  {
    name: 'a payment may take as much gas as any call',
    edits: [[PAYER, 'const limit = withMargin(gas)', 'const limit = withMargin(MAX_GAS)']],
    within: 500,
  },
  {
    name: 'a wallet may draw any gas in a day',
    edits: [[PAYER, '!payout.isBooked ? gas', 'false ? gas']],
    within: 5_000,
    theme: WASTE,
  },
  {
    name: 'a wallet that has wasted gas need not wait',
    edits: [[PAYER, 'count > 0 ? latestAt + restMs(step, count) : 0', '0 * latestAt * count']],
    within: 1_000,
    theme: WASTE,
  },
  {
    name: 'a ledger does not note that a credited deposit is missing',
    edits: [[VAULT_TRANSACTIONS, "has('missing') ? 'missing'", "has('missing') ? 'on_chain'"]],
    within: 1_000,
    theme: GONE,
  },
  {
    name: 'the watch keeps deposits that the chain has dropped',
    edits: [
      [
        'durable-objects/vault-watch.ts',
        'for (const event of vanished)',
        'for (const event of vanished.slice(0, 0))',
      ],
    ],
    within: 1_000,
    theme: GONE,
  },
  {
    name: 'a drift never pauses withdrawals',
    edits: [
      [
        'durable-objects/treasury/reconciliation.ts',
        'if (!isPauseDue(',
        'if (true || !isPauseDue(',
      ],
    ],
    within: 1_000,
    theme: GONE,
  },
]
