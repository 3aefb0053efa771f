import {
  BoxAnswer,
  BuyAnswer,
  ClaimAnswer,
  RevealAnswer,
  WalletAnswer,
} from '../../api/box-nft/answers-schema.ts'
import { BoxBody, BuyBody, WalletQuery } from '../../api/box-nft/schema.ts'
import { action } from '../bodies.ts'
import { AUTH_SIG, CONTRACT, SEED_HASH, TERMS, WALLET } from '../examples.ts'
import type { TagOperation } from '../operation.ts'

const boxId = '81367'
const price = '10000000000000000'
const prize = '5000000000000000000'
const nonce = `0x${'b4'.repeat(32)}`
const tx = { to: CONTRACT, data: '0xd96a094a', value: '0', chainId: 1 }

const box = {
  boxId,
  kind: 0,
  state: 'closed',
  tier: null,
  prize: null,
  claimed: false,
  batch: 1,
  pepperHash: SEED_HASH,
  pepper: null,
}
const shop = {
  terms: TERMS,
  kinds: [
    {
      kind: 0,
      price,
      isForSale: true,
      tiers: [{ tier: 0, label: 'Common', bps: 10_000, prize }],
    },
  ],
  contract: CONTRACT,
  chainId: 1,
}

export const boxOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/api/lootbox-nft',
    id: 'getBoxes',
    summary: "A wallet's boxes, and the boxes for sale",
    calls: [
      {
        name: 'boxes',
        summary: "A wallet's boxes, and the boxes for sale",
        description: 'The state on chain, at most one second old.',
        limit: 'reads',
        networkLimit: 'boxes',
        query: WalletQuery,
        answers: { 200: WalletAnswer },
        refusals: ['invalid_request', 'chain_unavailable'],
        example: {
          query: { wallet: WALLET },
          answer: {
            ok: true,
            boxes: [box],
            next: null,
            stats: { bought: 1, revealed: 0, claimed: 0 },
            ...shop,
          },
        },
      },
      {
        name: 'box',
        summary: 'One box, with any owner',
        limit: 'reads',
        networkLimit: 'boxes',
        query: BoxBody,
        answers: { 200: BoxAnswer },
        refusals: ['invalid_request', 'not_found', 'chain_unavailable'],
        example: { query: { boxId }, answer: { ok: true, boxes: [box], ...shop } },
      },
    ],
  },
  {
    method: 'post',
    path: '/api/lootbox-nft',
    id: 'postBoxes',
    summary: 'Buy, reveal and claim boxes',
    calls: [
      {
        name: 'buy',
        summary: 'The transaction that buys a box',
        description: 'The first wallet prompt.',
        limit: 'reads',
        body: action('buy', BuyBody),
        answers: { 200: BuyAnswer },
        refusals: ['box_state', 'excluded', 'closed', 'chain_unavailable'],
        example: {
          body: { action: 'buy', kind: 0, wallet: WALLET },
          answer: { ok: true, tx: { ...tx, value: price }, kind: 0, price },
        },
      },
      {
        name: 'reveal',
        summary: "A box's tier, and the transaction that opens the box",
        description:
          'The second wallet prompt. The tier is the first one with cumulative bps above keccak256(abi.encode(uint256 boxId, bytes32 pepper)) mod 10000. Repeated calls return the same opening.',
        limit: 'reads',
        networkLimit: 'boxes',
        body: action('reveal', BoxBody),
        answers: { 200: RevealAnswer },
        refusals: ['not_found', 'chain_unavailable'],
        example: {
          body: { action: 'reveal', boxId },
          answer: { ok: true, boxId, tier: 0, prize, nonce, signature: AUTH_SIG, tx },
        },
      },
      {
        name: 'claim',
        summary: "The transaction that pays a box's prize",
        description: "The third wallet prompt. The prize goes to the box's owner.",
        limit: 'reads',
        networkLimit: 'boxes',
        body: action('claim', BoxBody),
        answers: { 200: ClaimAnswer },
        refusals: ['not_found', 'box_state', 'chain_unavailable'],
        example: {
          body: { action: 'claim', boxId },
          answer: { ok: true, boxId, prize, nonce, tx },
        },
      },
    ],
  },
]
