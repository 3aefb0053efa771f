import { perToken, type PerToken, type Token } from '../money/token.ts'
import { postingsOf, type Posting } from './accounts.ts'

/** An event of the vault that moves chips or the house's own funds. */
export interface VaultMovement {
  kind: 'deposited' | 'funded' | 'house-withdrawn'
  /** Its position among the vault's events of its transaction, from 0. */
  position: number
  token: Token
  amountWei: bigint
}

/** All movements of one transaction that affect one ledger. Crosses object calls. */
export interface VaultTransaction {
  /** The chain and contract. */
  vaultId: string
  txHash: string
  /** Rises with each change of the fields below. A ledger ignores reports with an older version. */
  version: number
  /** Whether the transaction is on the chain now. */
  isOnChain: boolean
  movements: VaultMovement[]
  /**
   * The movements that it no longer contains. Sent to a restored ledger, which may no longer know that it credited
   * them. Empty if no ledger has credited any.
   */
  dropped?: VaultMovement[]
}

/** A movement that has been credited. */
export interface CreditedMovement extends VaultMovement {
  /**
   * Absent while the chain has it: `missing` from the chain freezes the wallet, until the house bears a `written_off`
   * one.
   */
  state?: 'missing' | 'written_off'
}

/** The movements of a transaction that an act has written off. */
interface WrittenOffTransaction {
  txHash: string
  movements: VaultMovement[]
}

/** How a ledger follows a report on a transaction. */
interface CreditedChange {
  /** All movements of the transaction credited by then. */
  credited: CreditedMovement[]
  /** The movements to credit now. */
  fresh: VaultMovement[]
  /** The written-off movements that are on the chain again. */
  returned: VaultMovement[]
}

/**
 * Compares a transaction's credited movements with those on the chain. A transaction that is mined again may make other
 * movements: these are credited, and the former ones are missing. Compares movements without their positions: an event
 * that a node left out at first shifts the later ones of its transaction once it is found. If a credited movement has
 * had a position before, the new one takes the next free position.
 * @param dropped movements missing from the chain; those not credited yet are credited as missing
 */
export function compareCredited(
  credited: readonly CreditedMovement[],
  onChain: readonly VaultMovement[],
  dropped: readonly VaultMovement[] = [],
): CreditedChange {
  const rest = [...onChain]
  const returned: VaultMovement[] = []
  // Of equal movements, those on the chain before are matched first, then missing ones.
  const known = credited
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((movement): CreditedMovement => {
      const { state, ...bare } = movement
      if (!takeSame(rest, movement)) return { ...bare, state: state ?? 'missing' }
      if (state === 'written_off') returned.push(bare)
      return bare
    })
  const taken = new Set(credited.map(({ position }) => position))
  const lost = [...dropped]
  for (const movement of known) if (movement.state !== undefined) takeSame(lost, movement)
  const placed = (movement: VaultMovement) => {
    let { position } = movement
    while (taken.has(position)) position += 1
    taken.add(position)
    return { ...movement, position }
  }
  const [fresh, gone] = [rest.map(placed), lost.map(placed)]
  const missing = gone.map((movement) => ({ ...movement, state: 'missing' as const }))
  return { credited: [...known, ...fresh, ...missing], fresh: [...fresh, ...gone], returned }
}

function rankOf({ state }: CreditedMovement): number {
  return state === undefined ? 0 : state === 'missing' ? 1 : 2
}

/** Takes one movement like another out of a list. Returns whether there was one. */
function takeSame(movements: VaultMovement[], movement: VaultMovement): boolean {
  const at = movements.findIndex((other) => isSameMovement(movement, other))
  if (at !== -1) movements.splice(at, 1)
  return at !== -1
}

function isSameMovement(a: VaultMovement, b: VaultMovement): boolean {
  return a.kind === b.kind && a.token === b.token && a.amountWei === b.amountWei
}

/** Returns a deposit's fee, amount · feeBps / 10000 rounded up, in smallest units. */
export function depositFee(amountWei: bigint, feeBps: number): bigint {
  return (amountWei * BigInt(feeBps) + 9_999n) / 10_000n
}

/** Returns the chips that a deposit credits: the amount less its fee. Smallest units. */
export function creditOf(amountWei: bigint, feeBps: number): bigint {
  return amountWei - depositFee(amountWei, feeBps)
}

/**
 * Returns the postings for a movement in the ledger of its wallet, or of the house.
 * @param quarantinedWei the part of a deposit above the player's limits, which pays no fee
 */
export function movementPostings(
  movement: VaultMovement,
  feeBps: number,
  quarantinedWei = 0n,
): Posting[] {
  const { kind, token, amountWei } = movement
  switch (kind) {
    case 'deposited': {
      const allowedWei = amountWei - quarantinedWei
      return postingsOf(
        token,
        ['vault', 'chips', creditOf(allowedWei, feeBps)],
        ['vault', 'fees', depositFee(allowedWei, feeBps)],
        ['vault', 'quarantine', quarantinedWei],
      )
    }
    case 'funded':
      return postingsOf(token, ['vault', 'house', amountWei])
    case 'house-withdrawn':
      return postingsOf(token, ['house', 'vault', amountWei])
  }
}

/**
 * Writes off the part of a transaction that the chain lacks.
 * @param covered the most that may be written off; absent for all of it
 * @returns all credited movements with their new states, and those just written off
 */
export function writeOffMissing(
  credited: readonly CreditedMovement[],
  covered?: readonly VaultMovement[],
): { credited: CreditedMovement[]; lost: VaultMovement[] } {
  const rest = covered && [...covered]
  const lost: VaultMovement[] = []
  const written = credited.map((movement): CreditedMovement => {
    const { state, ...bare } = movement
    if (state !== 'missing' || (rest && !takeSame(rest, movement))) return movement
    lost.push(bare)
    return { ...bare, state: 'written_off' }
  })
  return { credited: written, lost }
}

/** Returns the house's loss by movements that are written off, in smallest units. */
export function writtenOffWei(movements: readonly VaultMovement[]): PerToken<bigint> {
  const ofToken = (token: Token) => movements.filter((movement) => movement.token === token)
  return perToken((token) =>
    ofToken(token).reduce(
      (sum, { kind, amountWei }) => sum + (kind === 'house-withdrawn' ? -amountWei : amountWei),
      0n,
    ),
  )
}

/** Parses a ledger's note of the movements that an act has written off. */
export function parseWrittenOff(text: string): WrittenOffTransaction[] {
  return JSON.parse(text, readAmount) as WrittenOffTransaction[]
}

/** Revives amounts, which JSON holds as decimal text. */
export function readAmount(key: string, value: unknown): unknown {
  return key === 'amountWei' ? BigInt(String(value)) : value
}

/**
 * Returns the postings that charge a credited transaction to the house, after operators declare
 * that it won't return to the chain. The player keeps the chips, and the vault account matches the vault.
 */
export function writeOffPostings({ kind, token, amountWei }: VaultMovement): Posting[] {
  return kind === 'house-withdrawn'
    ? postingsOf(token, ['vault', 'house', amountWei])
    : postingsOf(token, ['house', 'vault', amountWei])
}

/** Returns the reverse of {@link writeOffPostings}, for a transaction that returned to the chain after all. */
export function writeBackPostings(movement: VaultMovement): Posting[] {
  return writeOffPostings(movement).map(({ from, to, ...posting }) => ({
    ...posting,
    from: to,
    to: from,
  }))
}
