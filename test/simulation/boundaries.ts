import type { Counts } from './world/coverage.ts'
import { FAULTS, type Fault } from './world/faults.ts'
import { THEMES } from './world/themes.ts'

/** Every boundary that histories cross: caller and callee. A run that never crosses one of them fails. */
const BOUNDARIES: readonly string[] = [
  ...['bet', 'cashout', 'disclosure', 'faucet', 'past-play', 'play', 'state', 'terms'].map(
    ofClient,
  ),
  ...['mines-cashout', 'mines-open', 'mines-pick'].map(ofClient),
  ...['balance', 'rollback', 'statement', 'transaction'].map(ofClient),
  ...['cashOut', 'result'].map((method) => `router>CrashRound.${method}`),
  ...['disclosure', 'newestRoundId', 'snapshot'].map((method) => `router>CrashTable.${method}`),
  ...['balance', 'bet', 'commitNextPlay', 'endedBet', 'faucet', 'me'].map(ofLedger),
  ...['play', 'rollback', 'statement', 'transact'].map(ofLedger),
  ...['cashOutMines', 'openMines', 'pickMines'].map(ofLedger),
  ...['router', 'cron', 'CrashTable', 'Relayer'].map((reader) => `${reader}>Control.modes`),
  'Control>TransparencyLog.find',
  ofClient('stream'),
  'router>CrashStream.fetch',
  'CrashRound>CrashStream.tell',
  ...['CrashTable.snapshot', 'CrashRound.follow', 'Relayer.conditions'].map(ofStream),
  'alarm>CrashStream',
  ...['claim', 'original'].map((method) => `router>PartnerIds.${method}`),
  'router>HISTORY',
  // The terms that a new isolate names with its first answer.
  'router>TransparencyLog.append',
  ...['CrashTable.sweep', 'Reprojection.sweep', 'DB', 'HISTORY'].map((part) => `cron>${part}`),
  'cron>Daybook.sweep',
  'cron>Exporter.sweep',
  'cron>Health.noteConfiguration',
  'cron',
  'CrashTable>CrashRound.open',
  'CrashTable>CrashRound.result',
  'CrashTable>CrashRound.sweep',
  'CrashTable>TransparencyLog.append',
  'CrashRound>CrashTable.recordEnd',
  'CrashRound>HISTORY',
  'CrashRound>TransparencyLog.append',
  ...['get', 'head', 'put'].map((call) => `TransparencyLog>EXPORTS.${call}`),
  'alarm>TransparencyLog',
  'CrashRound>Ledger.settle',
  'Ledger>CrashRound.place',
  'Ledger>CrashRound.outcome',
  ...['DB', 'HISTORY', 'ARCHIVE.get', 'ARCHIVE.put'].map((store) => `Ledger>${store}`),
  ...['debited', 'release', 'reserve'].map((method) => `Ledger>PartnerLimit.${method}`),
  'Ledger>PartnerIds.addPlayer',
  ...['Solvency', 'Treasury'].flatMap((reader) => [
    `${reader}>Daybook.partners`,
    `${reader}>PartnerLimit.totals`,
  ]),
  ...['CrashRound', 'CrashTable', 'Ledger'].map((object) => `alarm>${object}`),
  // Histories with a vault.
  ofClient('withdraw'),
  ofLedger('withdraw'),
  'chain',
  'D1',
  ...['cron', 'Relayer', 'router', 'Treasury', 'VaultWatch'].map((caller) => `${caller}>node`),
  ...['Ledger.sendPosition', 'Relayer.sweep', 'Treasury.beat'].map((call) => `cron>${call}`),
  ...['Solvency.sweep', 'Treasury.count', 'VaultWatch.catchUp'].map((call) => `cron>${call}`),
  ...['Relayer.conditions', 'Treasury.bankroll'].map((call) => `router>${call}`),
  'CrashRound>Treasury.bankroll',
  ...['Relayer.pay', 'VaultWatch.catchUp'].map((call) => `Ledger>${call}`),
  'Relayer>Ledger.withdrawalProgress',
  'VaultWatch>Ledger.takeVaultTransaction',
  ...['DB', 'PartnerIds.players', 'Relayer.walletsInProgress', 'VaultWatch.standing'].map(
    ofTreasury,
  ),
  ...['Relayer', 'VaultWatch'].map((object) => `alarm>${object}`),
  // Histories with a lootbox.
  ...['lootbox', 'open', 'rent', 'seeds', 'spin'].map(ofClient),
  ...['Payment.open', 'Payment.rent', 'SharedPost.spin', 'SharedPost.spun'].map(
    (call) => `router>${call}`,
  ),
  'Payment>DB',
  ...['commitment', 'disclosure', 'hasSpun'].map((method) => `router>LootboxDay.${method}`),
  'cron>LootboxDay.commitment',
  'router>posts',
  ...['disclosure', 'offerFor', 'roll'].map((method) => `Payment>LootboxDay.${method}`),
  ...['disclosure', 'roll', 'takeSpin'].map((method) => `SharedPost>LootboxDay.${method}`),
  'Payment>node',
  ...['Payment', 'SharedPost'].flatMap((owner) => [
    `alarm>${owner}`,
    `${owner}>HISTORY`,
    `${owner}>Relayer.payPrize`,
    `Relayer>${owner}.prizeProgress`,
  ]),
  'LootboxDay>TransparencyLog.append',
  'alarm>LootboxDay',
  // Histories with boxes.
  ...['boxes', 'buy', 'claim', 'reveal'].map(ofClient),
  ofLedger('isExcluded'),
  'cron>TransparencyLog.append',
  // Histories in which players limit themselves, and what partners may debit.
  ...['confirm', 'remove', 'set'].map((action) => ofClient(`limits ${action}`)),
  ...['limits', 'permissions'].map(ofClient),
  ...['grant', 'revoke'].map((action) => ofClient(`permission ${action}`)),
  ...['changeLimits', 'grant', 'limits', 'permissions', 'revoke'].map(ofLedger),
  // Histories in which operators order something.
  ofClient('operate'),
  'router>Control.approve',
  'Control>CrashTable.takeModes',
  'Control>Ledger.setFrozen',
  'Control>TransparencyLog.append',
  // Histories in which they have the objects send their data to D1 again.
  'HISTORY',
  'Control>Reprojection.start',
  'Control>Daybook.count',
  'alarm>Reprojection',
  ...['DB', 'Ledger.sendPosition', 'Ledger.sendPlays', 'PartnerIds.players'].map(ofReprojection),
  ...['CrashTable.newestRoundId', 'CrashTable.roundsWithBets'].map(ofReprojection),
  ...['CrashTable.sendToHistory', 'CrashRound.sendToHistory'].map(ofReprojection),
  ofReprojection('Exporter.exportedOf'),
  'CrashTable>HISTORY',
  ...['DB', 'HISTORY', 'Ledger.bookedLines'].map((call) => `Daybook>${call}`),
  'alarm>Daybook',
  // Histories with the public beacon.
  'CrashRound>relays',
  // The audit at the end, without faults.
  'world>Ledger.verify',
  'world>Ledger.verifySegment',
  'world>Ledger.activity',
  'world>Ledger.exportPlays',
  'world>Ledger.position',
  'world>Solvency.publish',
  'world>Solvency.read',
]

/** The objects that keep messages for others, which they report while they can't deliver them. */
const KEEPERS = [
  'Control',
  'CrashRound',
  'Exporter',
  'Ledger',
  'LootboxDay',
  'Payment',
  'Relayer',
  'Reprojection',
  'SharedPost',
  'Solvency',
  'VaultWatch',
]

/** What follows only from a doubt about D1, a restart during results or a late repetition, or comes hourly or daily. */
const RARE: readonly string[] = [
  'Daybook>Relayer.gasSpent',
  'Daybook>Treasury.areAllSent',
  // Operators' acts that the request has not carried out, and those in histories with a vault.
  'alarm>Control',
  'Control>Relayer.takeModes',
  'CrashTable>CrashStream.lookAgain',
  // A cash-out that was paid, repeated through the same isolate.
  'router>Ledger.settle',
  // A game that was open when the page was left.
  'router>Ledger.findPlay',
  // An ended round that the history lacks, or that is asked for while the history doesn't answer.
  'router>CrashTable.endedRound',
  // A ledger whose own alarm was lost.
  'cron>Ledger.sweep',
  ofClient('limits exclude'),
  'SharedPost>relays',
  'router>relays',
  'CrashTable>CrashRound.view',
  'router>CrashRound.view',
  'Solvency>TransparencyLog.append',
  ...['CrashRound', 'Solvency', 'router'].map((caller) => `${caller}>TransparencyLog.find`),
  'Relayer>VaultWatch.look',
  'Relayer>VaultWatch.nonceUse',
  // An operators' act on a nonce of no withdrawal, or of one that was refunded.
  'Ledger>VaultWatch.nonceUse',
  'Ledger>VaultWatch.undelivered',
  ofReprojection('VaultWatch.players'),
  // A ledger that doesn't send its position.
  ofReprojection('Control.modes'),
  ...['Ledger.sendPosition', 'Reprojection.progress', 'Reprojection.start'].map(ofTreasury),
  // A deposit that never comes back.
  'Treasury>Control.pauseWithdrawals',
  // A difference that is new is looked at twice.
  ofTreasury('VaultWatch.look'),
  ...['DB', 'Ledger.position', 'Ledger.sendPosition', 'node'].map((call) => `Solvency>${call}`),
  ...['Treasury.recentPlayers', 'VaultWatch.look'].map((call) => `Solvency>${call}`),
  ...['Payment.sendToHistory', 'SharedPost.sendToHistory', 'Relayer.prizes'].map(ofReprojection),
  'Relayer>VaultWatch.catchUp',
  // A history that lasts past midnight.
  'Exporter>node',
  ...[
    'DB',
    'HISTORY',
    'EXPORTS.put',
    'EXPORTS.get',
    'Ledger.exportPlays',
    'TransparencyLog.append',
  ].map((call) => `Exporter>${call}`),
  'alarm>Exporter',
  ...KEEPERS.map((caller) => `${caller}>Health.noteStuck`),
]

/** What few histories reach, because operators must sign twice at the right time. */
const SELDOM = [
  'Control>Ledger.resolveWithdrawal',
  'Control>Ledger.writeOff',
  'Control>Ledger.writtenOff',
  'Ledger>Relayer.closePayout',
]

/** After this many histories, every boundary must have been crossed. */
const CROSSED_WITHIN = 200
/**
 * After this many, every fault must have happened wherever it can, and what few histories reach been crossed. At what
 * is rare, not every fault comes up.
 */
const FAULTY_WITHIN = 5_000

/** Boundaries where no fault can happen, because they are crossed after the faults have ended. */
const CALM: readonly string[] = [
  'world>Ledger.verify',
  'world>Ledger.verifySegment',
  'world>Ledger.activity',
  'world>Ledger.exportPlays',
  'world>Ledger.position',
  'world>Solvency.publish',
  'world>Solvency.read',
  ofLedger('statement'),
]

function ofClient(action: string): string {
  return `client>router ${action}`
}

function ofStream(call: string): string {
  return `CrashStream>${call}`
}

function ofReprojection(call: string): string {
  return `Reprojection>${call}`
}

function ofTreasury(call: string): string {
  return `Treasury>${call}`
}

function ofLedger(method: string): string {
  return `router>Ledger.${method}`
}

/** Returns the faults that themes aim at, and where. */
function aims(): [string, Fault][] {
  return THEMES.flatMap(({ rates }) =>
    Object.entries(rates).flatMap(([boundary, ofBoundary]) =>
      FAULTS.filter((fault) => (ofBoundary[fault] ?? 0) > 0).map((fault): [string, Fault] => [
        boundary,
        fault,
      ]),
    ),
  )
}

/** Returns what a run should have reached and has not, or has reached without being listed. */
export function gapsIn(counts: Counts, histories: number): string[] {
  const listed = [...BOUNDARIES, ...SELDOM, ...RARE]
  const unlisted = Object.keys(counts).filter((boundary) => !listed.includes(boundary))
  const gaps = unlisted.map((boundary) => `${boundary} is crossed, but not listed`)
  for (const { name, rates } of THEMES) {
    for (const boundary of Object.keys(rates))
      if (!listed.includes(boundary))
        gaps.push(`“${name}” aims at ${boundary}, which is not listed`)
  }
  for (const [boundary, fault] of aims()) {
    const row = counts[boundary]
    if (row && row[fault] === undefined)
      gaps.push(`a theme aims ${fault} at ${boundary}, where it cannot happen`)
  }
  if (histories < CROSSED_WITHIN) return gaps
  const wanted = histories < FAULTY_WITHIN ? BOUNDARIES : listed
  for (const boundary of wanted) {
    const row = counts[boundary]
    if (!row?.crossed) gaps.push(`${boundary} was never crossed`)
    else if (histories >= FAULTY_WITHIN && ![...CALM, ...RARE].includes(boundary)) {
      for (const fault of FAULTS) {
        if (row[fault] === 0) gaps.push(`${boundary} never met the fault ${fault}`)
      }
    }
  }
  return gaps
}
