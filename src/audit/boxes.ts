import { verifyBox, type DisclosedBox } from '../verify/box.ts'
import { findingsOf, type Finding } from './finding.ts'

/** A box of an export. */
export interface ExportedBox extends DisclosedBox {
  chainId: number
  contract: string
  /** Its place in the contract's order of sale, from 0. */
  n: number
  kind: number
  bought: { block: number }
  /** The end of its batch, in unix milliseconds. */
  at: number
}

/** The result of auditing some boxes. */
export interface BoxesPart {
  findings: Finding[]
  boxes: ExportedBox[]
}

/** Recomputes boxes from their batch's pepper. */
export function auditBoxes(boxes: readonly ExportedBox[]): BoxesPart {
  const findings = boxes.flatMap((box) => findingsOf(`box ${box.boxId}`, verifyBox(box)))
  return { findings, boxes: [...boxes] }
}

/** The facts that all boxes of a batch must share. */
export type BoxBatch = Pick<
  ExportedBox,
  'chainId' | 'contract' | 'batch' | 'pepperHash' | 'pepper' | 'at'
>

interface Contract {
  of: Pick<ExportedBox, 'chainId' | 'contract'>
  last: Pick<ExportedBox, 'n' | 'batch' | 'bought'> | null
  batches: Map<number, BoxBatch>
  /** The tiers of each kind, as text. */
  kinds: Map<number, string>
}

/**
 * The boxes of an export, in its order: none is missing before another one of its contract, no two have one id,
 * and those of a batch or a kind agree.
 */
export class BoxSequence {
  readonly findings: Finding[] = []
  readonly #isWhole: boolean
  readonly #ids = new Set<bigint>()
  readonly #contracts = new Map<string, Contract>()

  /** @param isWhole whether the export begins with its first day */
  constructor(isWhole: boolean) {
    this.#isWhole = isWhole
  }

  get size(): number {
    return this.#ids.size
  }

  /** Returns the batches of all contracts. */
  batches(): BoxBatch[] {
    return [...this.#contracts.values()].flatMap(({ batches }) => [...batches.values()])
  }

  /** Returns the contracts. */
  contracts(): Pick<ExportedBox, 'chainId' | 'contract'>[] {
    return [...this.#contracts.values()].map(({ of }) => of)
  }

  add(boxes: readonly ExportedBox[]): void {
    for (const box of boxes) for (const problem of this.#problems(box)) this.#find(box, problem)
  }

  #find({ boxId }: ExportedBox, problem: string): void {
    this.findings.push({ where: `box ${boxId}`, problem })
  }

  /** Takes a box, and returns problems with its place among the others. */
  #problems(box: ExportedBox): string[] {
    const { boxId, n, batch, pepperHash, pepper, kind, bought } = box
    if (this.#ids.has(boxId)) return ['it is in the export twice']
    this.#ids.add(boxId)
    const problems: string[] = []
    const contract = this.#contractOf(box)
    const { last } = contract
    const expected = last ? last.n + 1 : this.#isWhole ? 0 : n
    if (n > expected) problems.push(`${n - expected} boxes sold before it are missing`)
    if (n < expected) problems.push(`its place in the order of sale, ${n}, is taken`)
    if (last && (batch < last.batch || bought.block < last.bought.block)) {
      problems.push('it was sold before the box that precedes it in the order of sale')
    }
    contract.last = { n, batch, bought }
    const known = contract.batches.get(batch)
    if (known && (known.pepperHash !== pepperHash || known.pepper !== pepper)) {
      problems.push(`its pepper is not the one of other boxes of batch ${batch}`)
    }
    contract.batches.set(batch, known ?? { ...contract.of, batch, pepperHash, pepper, at: box.at })
    const tiers = box.tiers.map(({ bps, prize }) => `${bps}:${prize}`).join(' ')
    if ((contract.kinds.get(kind) ?? tiers) !== tiers) {
      problems.push(`its tiers are not the ones of other boxes of kind ${kind}`)
    }
    contract.kinds.set(kind, contract.kinds.get(kind) ?? tiers)
    return problems
  }

  #contractOf({ chainId, contract }: ExportedBox): Contract {
    const name = `${chainId}:${contract}`
    const known = this.#contracts.get(name)
    if (known) return known
    const of = { chainId, contract }
    const unseen: Contract = { of, last: null, batches: new Map(), kinds: new Map() }
    this.#contracts.set(name, unseen)
    return unseen
  }
}
