import { z } from 'zod'
import type { PublishedKey } from '../../receipts/key.ts'
import type { TermsSummary } from '../../transparency/terms.ts'
import {
  bytes32,
  count,
  describedComponent,
  describes,
  flag,
  records,
  text,
} from '../http/answers-schema.ts'

export const receipt = text(
  'The receipt: a compact JWS (ES256) with the claims of this call. Absent if the site has no keys for receipts.',
).exactOptional()

export const TermsAnswer = describes<TermsSummary>()(
  describedComponent('Terms', 'The terms of play in force.', {
    hash: bytes32("The sha256 of the terms' canonical JSON, as in receipts and the public log"),
    autoplay: flag('Whether the page may bet automatically.'),
    funChips: flag(
      'Whether the page offers play without a wallet, with chips that are worth nothing.',
    ),
    minPlayMs: count('The shortest time between two plays, in milliseconds.'),
  }),
)

export const KeysAnswer = describes<{ keys: PublishedKey[] }>()(
  describedComponent('JwkSet', 'The keys of receipts (RFC 7517).', {
    keys: records('All keys that ever signed, the newest first. It is published before it signs.', {
      kty: z.literal('EC').describe('The key type.'),
      crv: z.literal('P-256').describe('The curve.'),
      x: text('The x coordinate, in base64url.'),
      y: text('The y coordinate, in base64url.'),
      alg: z.literal('ES256').describe('The algorithm.'),
      use: z.literal('sig').describe('The use.'),
      kid: text('The thumbprint (RFC 7638), as in the headers of receipts.'),
      nbf: count('When the key begins to sign, in unix seconds.'),
      exp: count(
        'When the key stops signing at the latest, in unix seconds; absent for the newest key.',
      ).exactOptional(),
    }),
  }),
)
