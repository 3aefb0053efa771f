import { bytesToHex, hexToBytes } from '@noble/hashes/utils'
import { SolvencyAnswer, WalletSolvencyAnswer } from '../../api/solvency/answers-schema.ts'
import { SolvencyQuery } from '../../api/solvency/schema.ts'
import { perToken } from '../../money/token.ts'
import { leavesOf, packRecord, walletSaltOf } from '../../solvency/leaf.ts'
import { proofOf } from '../../solvency/proof.ts'
import { rootOf } from '../../solvency/tree.ts'
import { CONTRACT, NOW, OTHER_CONTRACT, SEED, SIGNED, WALLET } from '../examples.ts'
import type { TagOperation } from '../operation.ts'

const EPOCH = 1
const key = hexToBytes(SEED)
const none = perToken(() => 0n)
const amounts = { ETH: 0n, USDG: 97_500_000n }
const record = packRecord(WALLET, { seq: 12, owed: amounts, deposited: amounts, withdrawn: none })
/** A tree of one wallet is its leaf. */
const top = leavesOf(key, EPOCH, record)

export const SOLVENCY_STATEMENT = {
  ok: true,
  epoch: EPOCH,
  at: NOW,
  root: bytesToHex(rootOf(EPOCH, top)),
  owed: { ETH: '0', USDG: '97500000' },
  partners: { ETH: '0', USDG: '0' },
  vault: {
    holdings: { ETH: '1000000000000000000', USDG: '197500000' },
    blockNumber: 21_000_000,
    blockHash: `0x${SEED}`,
  },
  contract: { chainId: 1, address: CONTRACT, usdg: OTHER_CONTRACT },
  leaves: 1,
  ratio: { ETH: '1', USDG: '2.025641' },
}

const proof = proofOf({
  epoch: EPOCH,
  walletSalt: walletSaltOf(key, record.subarray(0, 20)),
  record,
  index: 0,
  top,
  siblings: [],
})

export const solvencyOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/solvency',
    id: 'getSolvency',
    summary: 'What is owed, and what the vault holds',
    calls: [
      {
        name: 'statement',
        summary: 'The newest count of all debts',
        description:
          'Made once an hour: a Merkle sum tree over all wallets, and the vault’s holdings after a block. A leaf is sha256(`0x00` ‖ salt ‖ player ‖ epoch ‖ seq ‖ owed ‖ deposited ‖ withdrawn), a node sha256(`0x01` ‖ left ‖ its sums ‖ right ‖ its sums), and the root sha256(`0x02` ‖ epoch ‖ top ‖ its sums): numbers of 8 and amounts of 16 bytes, big-endian, ETH before USDG. Leaves are sorted by hash and padded to a power of two with sha256(`0x00`) and sums of 0. Each leaf follows from an entry that was the wallet’s latest at most ten minutes before `at`.',
        limit: 'reads',
        answers: { 200: SolvencyAnswer },
        refusals: ['not_configured', 'not_found'],
        example: { answer: SOLVENCY_STATEMENT },
      },
      {
        name: 'proof',
        summary: 'The same, and where the wallet’s chips are in it',
        caller: 'wallet',
        limit: 'reads',
        query: SolvencyQuery.required(),
        answers: { 200: WalletSolvencyAnswer },
        refusals: ['not_configured', 'not_found'],
        example: { query: SIGNED, answer: { ...SOLVENCY_STATEMENT, proof } },
      },
    ],
  },
]
