/**
 * The operations of a ledger: each kind, and the values that tell its operations apart. Both are in the id. A repeated
 * call finds its operation by the id, and a reader recognizes the entry by it, so the form of an id never changes.
 */
interface Operations {
  /** Chips for local play. */
  faucet: [id: string]
  /** A deposit of the player's, from the vault's events. */
  deposited: VaultEvent
  /** Deposits and withdrawals of the house's own funds, which stand in a ledger of their own. */
  funded: VaultEvent
  'house-withdrawn': VaultEvent
  /** The house bears deposits that the chain has lost, by an operators' act. */
  'write-off': [actId: string]
  /** Written-off movements are on the chain again. */
  'write-back': [chainId: number, txHash: string, version: number, contract: string]

  /** A crash bet holds its stake. */
  bet: [roundId: number, attempt: number]
  /** Its round has ended, voided or refused it. */
  settle: [roundId: number, attempt: number]

  /** A settled play. Of a game of mines, its end. */
  entropy: [nonce: number]
  /** A game of mines opens, and a tile is picked. */
  mines: [nonce: number]
  pick: [nonce: number, tile: number]

  /** A withdrawal holds its chips. */
  withdraw: [vaultId: string, nonce: number]
  /** The relayer reports its progress. */
  withdrawal: [vaultId: string, nonce: number, version: number]
  /** It ends by an operators' act. */
  resolve: [vaultId: string, nonce: number, actId: string]

  /** A partner's transaction, or its rollback. */
  bridge: [partner: string, id: string]
  /** The player permits a partner's debits, or no longer does. */
  permission: [partner: string, token: string, number: number]
  /** The player sets limits or excludes themselves. */
  limits: [number: number]

  /** Operators freeze the wallet, or end that. */
  freeze: [actId: string]
  /** Operators restore a ledger that has gone back, and the entries that it has lost before. */
  restored: [actId: string]
  lost: [seq: number]
}

type VaultEvent = [chainId: number, txHash: string, position: number, contract: string]

export type OperationKind = keyof Operations

/** Returns the id of an operation. */
export function operationId<Kind extends OperationKind>(
  kind: Kind,
  ...names: Operations[Kind]
): string {
  return [kind, ...names].join(':')
}

/** Returns how the ids of a kind's operations begin, or of those with the same first names. */
export function idPrefix<Kind extends OperationKind>(
  kind: Kind,
  ...names: Partial<Operations[Kind]>
): string {
  return [kind, ...names, ''].join(':')
}

/** Splits an id into its kind and names. */
export function partsOfId(id: string): { kind: OperationKind; names: string[] } {
  const [kind = '', ...names] = id.split(':')
  return { kind: kind as OperationKind, names }
}
