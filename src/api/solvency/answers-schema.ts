import { z } from 'zod'
import type { SolvencyProof, Statement } from '../../solvency/statement.ts'
import {
  address,
  amount,
  bytes32,
  component,
  count,
  describedComponent,
  describes,
  ok,
  orNull,
  perToken,
  record,
  records,
  txHash,
  unixMs,
} from '../http/answers-schema.ts'

const amounts = (description: string) => perToken(amount('Of this token'), description)

const statement = {
  epoch: count('The number of the count, starting at 1.'),
  at: unixMs('When the positions of all wallets were read'),
  root: bytes32('The root of the tree'),
  owed: amounts(
    'The sum of what is owed to all players: chips, in play and being withdrawn. A stake that was lost within the last minutes may still be in it.',
  ),
  partners: amounts(
    'What is owed to partners, less what they were paid outside. What one of them owes the house reduces nothing.',
  ),
  vault: record('What the vault held after a block with enough confirmations.', {
    holdings: amounts("The vault's balances, or what its own books have if that is less."),
    blockNumber: count("The block's number."),
    blockHash: txHash("The block's hash"),
  }),
  contract: record('The vault.', {
    chainId: count('The chain id.'),
    address: address('The vault contract'),
    usdg: address('The USDG token'),
  }),
  leaves: count('The number of wallets in the tree.'),
  ratio: perToken(
    z
      .string()
      .regex(/^(0|[1-9][0-9]*)(\.[0-9]{6})?$/)
      .describe('Of this token, as decimal text.'),
    'Holdings divided by what is owed to players and partners, with six decimals, rounded down; "1" where nothing is owed.',
  ),
}

export const SolvencyAnswer = describes<{ ok: true } & Statement>()(
  component('Solvency', { ok, ...statement }),
)

const Proof = describes<SolvencyProof>()(
  describedComponent('SolvencyProof', "Where the wallet's chips are in the tree.", {
    salt: bytes32("The leaf's salt: HMAC-SHA256 of the epoch, as 8 bytes, by the wallet's secret"),
    walletSalt: bytes32("The wallet's secret, the same in every epoch"),
    leaf: record("The wallet's leaf.", {
      seq: count("The number of the latest entry in the wallet's journal that it follows from."),
      owed: amounts('Owed to the wallet.'),
      deposited: amounts('Deposited since the first entry, with fees.'),
      withdrawn: amounts('Withdrawn since the first entry, as confirmed.'),
    }),
    index: count('The number of the leaf, from 0.'),
    top: bytes32("The hash of the tree's top"),
    siblings: records('The nodes beside the way from the leaf to the top, from the leaf up.', {
      hash: bytes32("The node's hash"),
      ETH: amount('The sum of ETH below it'),
      USDG: amount('The sum of USDG below it'),
    }),
  }),
)

export const WalletSolvencyAnswer = describes<
  { ok: true } & Statement & { proof: SolvencyProof | null }
>()(
  component('WalletSolvency', {
    ok,
    ...statement,
    proof: orNull('Null for a wallet that had no entry ten minutes before the count.', Proof),
  }),
)
