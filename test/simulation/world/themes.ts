import type { Fault } from './faults.ts'

/** Faults that belong together, because only together they reach a rare order of events. */
export interface Theme {
  name: string
  /** Whether it concerns what lasts for minutes. */
  isLong?: true
  /** Whether it needs a vault. */
  isOfVault?: true
  /** Whether most players' wallets are contracts. */
  isOfContracts?: true
  /** Whether most changes of their code waste gas: it does what it should in calls, but not in blocks. */
  isOfWaste?: true
  /** Whether reorganisations drop confirmed burns together with the payments that have failed before them. */
  isOfRevivals?: true
  /** Whether confirmed deposits may never come back. */
  isOfLostDeposits?: true
  /** Whether a third party has the relayer's key. */
  isOfLeaks?: true
  /** Whether it needs partners. */
  isOfPartners?: true
  /** Whether it needs the lootbox. */
  isOfLootbox?: true
  /** Whether it needs boxes. */
  isOfBoxes?: true
  /** Whether it needs players who limit themselves. */
  isOfLimits?: true
  /** Whether it needs viewers of the live stream. */
  isOfViewers?: true
  /** Whether it needs operators. */
  isOfOperators?: true
  /** Whether clocks are as wrong as they may be. */
  isOfClocks?: true
  /** Whether it needs the change of days. */
  isNearMidnight?: true
  /** How often a fault happens at a boundary. */
  rates: Record<string, Partial<Record<Fault, number>>>
}

/** A call that never fails. */
const NEVER = {
  delayed: 0,
  'request-lost': 0,
  'answer-lost': 0,
  late: 0,
  duplicated: 0,
  split: 0,
  'killed-before-commit': 0,
  'killed-after-commit': 0,
  evicted: 0,
  full: 0,
}

/** What histories aim at, each at one of these. */
export const THEMES: readonly Theme[] = [
  {
    name: 'bets arrive after their stakes were asked about',
    isOfClocks: true,
    rates: {
      'Ledger>CrashRound.place': { late: 0.85 },
      'Ledger>CrashRound.outcome': { evicted: 0.4, delayed: 0.1 },
    },
  },
  {
    name: 'rounds move to another clock as they close',
    isOfClocks: true,
    rates: {
      'Ledger>CrashRound.place': { late: 0.85 },
      'alarm>CrashRound': { 'killed-after-commit': 0.5 },
      'CrashTable>CrashRound.open': { 'killed-after-commit': 0.3 },
    },
  },
  {
    name: 'payouts get no answer',
    rates: {
      'CrashRound>Ledger.settle': { 'request-lost': 0.2, 'answer-lost': 0.3, late: 0.1 },
      'router>CrashRound.cashOut': { 'killed-after-commit': 0.2, 'answer-lost': 0.1 },
    },
  },
  {
    name: 'nobody wakes a round',
    rates: {
      'alarm>CrashRound': { lost: 0.6 },
      'CrashRound>HISTORY': { 'request-lost': 0.6 },
      'CrashRound>Ledger.settle': { 'request-lost': 0.5 },
    },
  },
  {
    name: 'D1 is slow and loses messages',
    isLong: true,
    rates: {
      'Ledger>DB': { late: 0.4, delayed: 0.3, 'request-lost': 0.1 },
      'Ledger>HISTORY': { 'request-lost': 0.5 },
      'router>HISTORY': { 'request-lost': 0.5 },
      'client>router play': { recycled: 0.3 },
      'router>Ledger.play': { 'killed-after-commit': 0.2 },
      'CrashRound>Ledger.settle': { 'killed-after-commit': 0.2 },
    },
  },
  {
    name: 'ledgers die after they have written',
    rates: {
      'router>Ledger.bet': { 'killed-after-commit': 0.3 },
      'router>Ledger.play': { 'killed-after-commit': 0.3 },
      'CrashRound>Ledger.settle': { 'killed-after-commit': 0.3 },
    },
  },
  {
    name: 'plays are repeated',
    rates: { 'router>Ledger.play': { late: 0.2, 'answer-lost': 0.2, 'killed-after-commit': 0.2 } },
  },
  {
    name: 'alarms end in the middle',
    rates: {
      'alarm>Ledger': { 'killed-before-commit': 0.3, 'killed-after-commit': 0.2, full: 0.2 },
      'alarm>CrashRound': { 'killed-before-commit': 0.2, lost: 0.3 },
    },
  },
  {
    name: 'disks fill up',
    rates: {
      'router>Ledger.play': { full: 0.3 },
      'router>Ledger.bet': { full: 0.3 },
      'router>Ledger.transact': { full: 0.3 },
      'CrashRound>Ledger.settle': { full: 0.3 },
      'alarm>Ledger': { full: 0.2 },
    },
  },
  {
    name: 'the archive does not answer',
    isLong: true,
    rates: {
      'Ledger>ARCHIVE.get': { 'request-lost': 0.4 },
      'client>router play': { late: 0.3, 'answer-lost': 0.2 },
      'client>router bet': { late: 0.2 },
    },
  },
  {
    name: 'credits wait while they are repeated',
    isOfPartners: true,
    rates: {
      'client>router transaction': { duplicated: 0.4, late: 0.2 },
      'router>Ledger.transact': { duplicated: 0.4, delayed: 0.2 },
      'Ledger>PartnerLimit.reserve': { delayed: 0.4, late: 0.2 },
    },
  },
  {
    name: 'the chain changes its mind',
    isOfVault: true,
    rates: {
      chain: { reorganised: 0.2, lagging: 0.1 },
      'VaultWatch>Ledger.takeVaultTransaction': { 'answer-lost': 0.2, 'killed-after-commit': 0.1 },
    },
  },
  {
    name: 'nodes follow branches that the others have left',
    isLong: true,
    isOfVault: true,
    rates: { chain: { reorganised: 0.05, lagging: 0.6 } },
  },
  {
    name: 'contracts sign, and change their minds',
    isOfVault: true,
    isOfContracts: true,
    rates: {
      chain: { reorganised: 0.1, lagging: 0.2 },
      'router>node': { delayed: 0.05, 'request-lost': 0.05, 'answer-lost': 0.05 },
    },
  },
  {
    name: 'contracts waste gas for minutes',
    isLong: true,
    isOfVault: true,
    isOfContracts: true,
    isOfWaste: true,
    rates: { chain: { reorganised: 0.03, lagging: 0.1 } },
  },
  {
    name: 'the chain drops confirmed burns',
    isLong: true,
    isOfVault: true,
    isOfContracts: true,
    isOfWaste: true,
    isOfRevivals: true,
    rates: { chain: { reorganised: 0.06, lagging: 0.1 } },
  },
  {
    name: "the relayer's key leaks, and the chain changes its mind",
    isLong: true,
    isOfVault: true,
    isOfContracts: true,
    isOfLeaks: true,
    rates: { chain: { reorganised: 0.15, lagging: 0.1 } },
  },
  {
    name: 'confirmed deposits never come back',
    isOfVault: true,
    isOfLostDeposits: true,
    rates: {
      chain: { reorganised: 0.15, lagging: 0.1 },
      'VaultWatch>Ledger.takeVaultTransaction': { 'answer-lost': 0.2, 'killed-after-commit': 0.1 },
    },
  },
  {
    name: 'payments are opened at once, and vanish',
    isLong: true,
    isOfLootbox: true,
    rates: { chain: { reorganised: 0.15 } },
  },
  {
    name: 'payments are opened while much is lost',
    isOfLootbox: true,
    rates: {
      'router>Payment.open': { 'killed-after-commit': 0.2, 'answer-lost': 0.2, late: 0.1 },
      'router>Payment.rent': { 'killed-after-commit': 0.2, 'answer-lost': 0.2, late: 0.1 },
      'Payment>DB': { 'answer-lost': 0.3, delayed: 0.2 },
      'Payment>node': { delayed: 0.2, 'request-lost': 0.1 },
      'Payment>LootboxDay.roll': { 'answer-lost': 0.2, delayed: 0.1 },
      'Payment>Relayer.payPrize': { 'answer-lost': 0.3 },
      'Relayer>Payment.prizeProgress': { 'request-lost': 0.3, late: 0.2 },
      chain: { reorganised: 0.1, lagging: 0.2 },
    },
  },
  {
    name: 'posts are shared at midnight',
    isOfLootbox: true,
    isNearMidnight: true,
    rates: {
      'client>router spin': { late: 0.2, duplicated: 0.2 },
      'router>SharedPost.spin': { 'killed-before-commit': 0.2, 'answer-lost': 0.2 },
      'SharedPost>LootboxDay.takeSpin': { 'answer-lost': 0.3, late: 0.3, duplicated: 0.2 },
      'alarm>LootboxDay': { 'killed-after-commit': 0.3 },
    },
  },
  {
    name: 'boxes are opened while the chain changes its mind',
    isOfBoxes: true,
    rates: {
      chain: { reorganised: 0.15, lagging: 0.2 },
      'client>router reveal': { duplicated: 0.2, 'answer-lost': 0.1, late: 0.1, recycled: 0.05 },
      'router>node': { delayed: 0.1, 'request-lost': 0.02 },
      'cron>node': { delayed: 0.1, 'request-lost': 0.02 },
      'cron>TransparencyLog.append': { 'answer-lost': 0.2, late: 0.2 },
    },
  },
  {
    name: 'limits change while stakes are made',
    isOfLimits: true,
    rates: {
      'client>router limits set': { late: 0.2, duplicated: 0.2, 'answer-lost': 0.2 },
      'router>Ledger.changeLimits': { 'killed-after-commit': 0.2, full: 0.1, late: 0.2 },
      'router>Ledger.bet': { full: 0.1, late: 0.1, delayed: 0.1 },
      'Ledger>CrashRound.place': { delayed: 0.2, 'request-lost': 0.1 },
    },
  },
  {
    name: 'viewers watch while reports are lost',
    isOfViewers: true,
    rates: {
      'CrashRound>CrashStream.tell': { 'request-lost': 0.2, late: 0.3, delayed: 0.1, evicted: 0.5 },
      'CrashStream>CrashTable.snapshot': { 'request-lost': 0.1, delayed: 0.2 },
      'CrashStream>CrashRound.follow': { 'request-lost': 0.2, delayed: 0.1, evicted: 0.2 },
      'router>CrashStream.fetch': { delayed: 0.2, evicted: 0.2, 'killed-after-commit': 0.1 },
      'alarm>CrashStream': { evicted: 0.2, 'killed-before-commit': 0.1 },
    },
  },
  {
    name: 'operators order, and every router hears of it',
    isOfOperators: true,
    isOfPartners: true,
    rates: {
      'router>Control.modes': NEVER,
      'router>Ledger.play': { delayed: 0.2, late: 0.5 },
      'router>Ledger.bet': { delayed: 0.2, late: 0.5 },
      'router>Ledger.transact': { late: 0.8 },
      'Control>Ledger.setFrozen': { late: 0.4, 'request-lost': 0.1 },
    },
  },
  {
    name: 'operators order, and clocks disagree',
    isOfOperators: true,
    isOfClocks: true,
    rates: {
      'router>Control.modes': NEVER,
      'client>router play': { late: 0.3, recycled: 0.1 },
      'client>router bet': { late: 0.3, recycled: 0.1 },
      'router>Ledger.play': { late: 0.2 },
      'router>Ledger.bet': { late: 0.2 },
    },
  },
  {
    name: 'operators order while much is lost',
    isOfOperators: true,
    rates: {
      'client>router operate': { late: 0.2, 'answer-lost': 0.2 },
      'router>Control.approve': { 'killed-after-commit': 0.3, late: 0.1, evicted: 0.3 },
      'router>Control.modes': { delayed: 0.1, evicted: 0.1 },
      'Control>Ledger.setFrozen': { 'request-lost': 0.2, late: 0.3, 'answer-lost': 0.1 },
      'Control>CrashTable.takeModes': { 'request-lost': 0.2, late: 0.2 },
      'router>Ledger.play': { delayed: 0.1 },
    },
  },
  {
    name: 'the history goes back, and everything is sent again',
    isOfOperators: true,
    isOfVault: true,
    rates: {
      HISTORY: { restored: 0.2 },
      'Reprojection>CrashTable.roundsWithBets': { 'request-lost': 0.2, 'answer-lost': 0.1 },
      'client>router operate': { late: 0.2, 'answer-lost': 0.1 },
      'alarm>Reprojection': { 'killed-before-commit': 0.1, 'killed-after-commit': 0.2 },
      'Reprojection>Ledger.sendPlays': { 'request-lost': 0.2, 'answer-lost': 0.1, late: 0.1 },
      'Reprojection>CrashRound.sendToHistory': { 'request-lost': 0.2, late: 0.1 },
      'Reprojection>DB': { 'request-lost': 0.2, delayed: 0.2 },
      'Ledger>HISTORY': { 'request-lost': 0.2, late: 0.2 },
    },
  },
  {
    name: 'D1 goes back, and positions are sent again',
    isLong: true,
    isOfOperators: true,
    isOfVault: true,
    rates: {
      D1: { restored: 0.6 },
      'Treasury>DB': { 'answer-lost': 0.7 },
      'alarm>Reprojection': { 'killed-before-commit': 0.1, 'killed-after-commit': 0.2 },
      'Reprojection>Ledger.sendPosition': { 'request-lost': 0.2, 'answer-lost': 0.1, late: 0.1 },
      'Ledger>DB': { 'request-lost': 0.1, late: 0.3 },
    },
  },
  {
    name: 'operators end withdrawals whose reports are lost',
    isOfOperators: true,
    isOfVault: true,
    rates: {
      chain: { reorganised: 0.1, lagging: 0.1 },
      'Relayer>Ledger.withdrawalProgress': { 'request-lost': 0.75, late: 0.1 },
      'router>Ledger.withdraw': NEVER,
      'Control>Ledger.resolveWithdrawal': { late: 0.2, 'answer-lost': 0.2, delayed: 0.1 },
      'Ledger>Relayer.closePayout': { 'answer-lost': 0.2, delayed: 0.2 },
      'router>Control.approve': { 'killed-after-commit': 0.1, 'answer-lost': 0.1 },
    },
  },
]
