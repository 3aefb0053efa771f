import { auditBoxes, type BoxesPart } from '../../audit/boxes.ts'
import type { Finding } from '../../audit/finding.ts'
import { auditOpenings, type OpeningsPart } from '../../audit/openings.ts'
import { auditPlays, type PlaysPart } from '../../audit/plays.ts'
import { auditRounds, type RoundsPart } from '../../audit/rounds.ts'
import type { BetRow } from '../../exports/rows.ts'
import { wrongBeacons, type SignedBeacon } from '../../fairness/drand.ts'
import { readBet, readBox, readOpening, readPlay, readRound, type ReadRow } from './rows.ts'

/** A part of an export's rows, as lines of its files: the work of one thread. */
export interface Jobs {
  /** Rounds and their bets; both in the order of the rounds. `needsBeacon` is whether no pepper may be the house's. */
  rounds: { in: { rounds: string[]; bets: string[]; needsBeacon: boolean }; out: RoundsPart }
  plays: { in: { lines: string[] }; out: PlaysPart }
  openings: { in: { lines: string[]; needsBeacon: boolean }; out: OpeningsPart }
  boxes: { in: { lines: string[] }; out: BoxesPart }
  /** `publicKey` is another chain's key in tests. */
  beacons: { in: { beacons: SignedBeacon[]; publicKey?: string }; out: SignedBeacon[] }
}

type Work = { [J in keyof Jobs]: (job: Jobs[J]['in']) => Jobs[J]['out'] }

/** The work of threads. */
export const WORK: Work = {
  rounds({ rounds: roundLines, bets: betLines, needsBeacon }) {
    const findings: Finding[] = []
    const rounds = readAll(roundLines, readRound, 'a round', findings)
    const bets = byRound(readAll(betLines, readBet, 'a bet', findings))
    const part = auditRounds(
      rounds.map((round) => ({ round, bets: bets.get(round.roundId) ?? [] })),
      needsBeacon,
    )
    return { ...part, findings: [...findings, ...part.findings] }
  },
  plays({ lines }) {
    const findings: Finding[] = []
    const part = auditPlays(readAll(lines, readPlay, 'a play', findings))
    return { ...part, findings: [...findings, ...part.findings] }
  },
  openings({ lines, needsBeacon }) {
    const findings: Finding[] = []
    const part = auditOpenings(readAll(lines, readOpening, 'an opening', findings), needsBeacon)
    return { ...part, findings: [...findings, ...part.findings] }
  },
  boxes({ lines }) {
    const findings: Finding[] = []
    const part = auditBoxes(readAll(lines, readBox, 'a box', findings))
    return { ...part, findings: [...findings, ...part.findings] }
  },
  beacons: ({ beacons, publicKey }) => wrongBeacons(beacons, publicKey),
}

const MAX_SHOWN = 200

function readAll<T>(
  lines: readonly string[],
  read: (line: string) => ReadRow<T>,
  what: string,
  findings: Finding[],
): T[] {
  return lines.flatMap((line) => {
    const result = read(line)
    if ('row' in result) return [result.row]
    const where = `${what}: ${line.slice(0, MAX_SHOWN)}`
    findings.push({ where, problem: `its form is wrong: ${result.problem}` })
    return []
  })
}

function byRound(bets: readonly BetRow[]): Map<number, BetRow[]> {
  const rounds = new Map<number, BetRow[]>()
  for (const bet of bets) {
    const others = rounds.get(bet.roundId)
    if (others) others.push(bet)
    else rounds.set(bet.roundId, [bet])
  }
  return rounds
}
