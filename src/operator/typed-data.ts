import type { Act } from './act.ts'

/** The service that an act is for. An act that was signed for another one is worth nothing here. */
export interface ActScope {
  /** The origin of the page that operators sign in to. */
  site: string
  chainId: number
  /** The vault contract; the zero address without one. */
  verifyingContract: `0x${string}`
}

/** Returns the EIP-712 data that operators sign for an act. */
export function actTypedData(
  { site, chainId, verifyingContract }: ActScope,
  { act, target, reason, expiresAt }: Act,
) {
  return {
    domain: { name: 'FairhouseOperators', version: '1', chainId, verifyingContract },
    types: {
      OperatorAct: [
        { name: 'site', type: 'string' },
        { name: 'act', type: 'string' },
        { name: 'target', type: 'string' },
        { name: 'reason', type: 'string' },
        { name: 'expiresAt', type: 'uint256' },
      ],
    },
    primaryType: 'OperatorAct',
    message: { site, act, target, reason, expiresAt: BigInt(expiresAt) },
  } as const
}
