// The object calls of release 0.2.0. Written by `npm run released` at a release: see CONTRIBUTING.md.

export interface Released {
  Control: {
    modes: () => Promise<Array<ModesChange>>
    newestModes: () => Promise<ModesVersion | null>
    overview: () => Promise<ControlOverview>
    freezes: () => Promise<Array<KeptAct>>
    closedWallets: () => Promise<Array<{
      name: string
      act: KeptAct
    }>>
    journal: (after: number) => Promise<Array<JournalEntry>>
    approve: (hash: string, act: Act, __2: {
      operator: string
      signature: string
    }) => Promise<KeptAct | Refusal>
    pauseWithdrawals: (reason: string) => Promise<void>
    closeWallet: (wallet: string, reason: string) => Promise<void>
  }
  CrashRound: {
    open: (setTerms: {
      [key: string]: SetTerm
    }) => Promise<RoundView | SettledRound | VoidedRound>
    view: () => Promise<RoundView | null>
    follow: (winCount: number, betCount?: number) => Promise<RoundReport | null>
    tableBets: (wallet: null | string) => Promise<TableBets | null>
    place: (placement: Placement) => Promise<Refusal | null>
    cashOut: (wallet: string) => Promise<(CashoutAnswer) & ({
      entry: TakenRef
    }) | Refusal>
    takeBeacon: (signature: string) => Promise<Refusal | boolean>
    outcome: (betId: string) => Promise<BetOutcome>
    result: () => Promise<SettledRound | VoidedRound | null>
    whole: (from: number) => Promise<WholeRound | null>
    sendToHistory: () => Promise<void>
    sweep: () => Promise<number>
  }
  CrashStream: {
    fetch: (request: Request<unknown, (IncomingRequestCfPropertiesBase) & (IncomingRequestCfPropertiesBotManagementEnterprise) & (IncomingRequestCfPropertiesCloudflareForSaaSEnterprise<unknown>) & (IncomingRequestCfPropertiesGeographicInformation) & (IncomingRequestCfPropertiesCloudflareAccessOrApiShield) | RequestInitCfProperties>) => Promise<Response>
    tell: (report: RoundReport) => Promise<void>
    lookAgain: () => Promise<void>
  }
  CrashTable: {
    snapshot: (reader?: "page" | "stream") => Promise<Snapshot>
    takeModes: (changes: ReadonlyArray<ModesChange>) => Promise<void>
    newestRounds: () => Promise<Array<{
      roundId: number
      crash: number
    }>>
    disclosure: () => Promise<Disclosure>
    recordEnd: (view: RoundView, isFinished: boolean) => Promise<void>
    newestRoundId: () => Promise<number>
    facts: () => Promise<{
      rounds: number
      voided: number
      unswept: number
      lastReadAt: number
      isOpen: boolean
      failingSince: null | number
      newest: EndedRound | null
    }>
    sendToHistory: (first: number, last: number) => Promise<void>
    roundsWithBets: (first: number, last: number) => Promise<Array<number>>
    sweep: () => Promise<void>
  }
  Daybook: {
    sweep: () => Promise<void>
    count: (day: string) => Promise<Refusal | null>
    read: (from: string, to: string) => Promise<Array<DayBooks>>
    partners: () => Promise<{
      day: null | string
      books: {
        [key: string]: {
          ETH: PartnerBooks
          USDG: PartnerBooks
        }
      }
    }>
  }
  Exporter: {
    sweep: () => Promise<void>
    closeDay: () => Promise<ExportedDay | null>
    days: (limit: number) => Promise<Array<ExportedDay>>
    facts: () => Promise<ExportFacts>
  }
  Health: {
    facts: () => Promise<Facts>
    stuck: () => Promise<Array<StuckObject>>
    noteStuck: (report: StuckReport) => Promise<void>
  }
  Ledger: {
    me: (now: RoundNow) => Promise<Me>
    bet: (request: BetRequest) => Promise<(BetAnswer) & ({
      entry: EntryRef
    }) | Refusal>
    settle: (betId: string, outcome: FinalOutcome) => Promise<({
      me: Me
    }) & ({
      entry: EntryRef
    }) | Refusal>
    commitNextPlay: () => Promise<{
      fairness: NextPlay
      openGame: null | {
        nonce: number
        seedHash: string
        nextSeedHash: string
        clientSeed: string
        token: "ETH" | "USDG"
        amountWei: string
        mines: number
        maxPicks: number
        picked: Array<number>
        multiplier: number
        next: null | number
        payout: string
        openedAt: number
      }
    }>
    nextPlay: () => Promise<NextPlay | null>
    findPlay: (nonce: number) => Promise<({
      game: "keno"
      meta: {
        draws: Array<number>
        picks: Array<number>
        hits: number
        risk: "classic" | "high" | "low" | "medium"
      }
    }) & (Draw) & (PayTerms) & ({
      token: "ETH" | "USDG"
      amount: string
      multiplier: number
      payout: string
      win: boolean
      seedHash: string
    }) & ({
      nextSeedHash: string
      settledAt: number
    }) | ({
      game: "limbo"
      meta: {
        result: number
        target: number
      }
    }) & (Draw) & (PayTerms) & ({
      token: "ETH" | "USDG"
      amount: string
      multiplier: number
      payout: string
      win: boolean
      seedHash: string
    }) & ({
      nextSeedHash: string
      settledAt: number
    }) | ({
      game: "mines"
      meta: {
        mines: Array<number>
        picked: Array<number>
      }
    }) & (Draw) & (PayTerms) & ({
      token: "ETH" | "USDG"
      amount: string
      multiplier: number
      payout: string
      win: boolean
      seedHash: string
    }) & ({
      nextSeedHash: string
      settledAt: number
    }) | ({
      game: "plinko"
      meta: {
        bucket: number
        path: string
        rows: number
        risk: "high" | "low" | "medium"
      }
    }) & (Draw) & (PayTerms) & ({
      token: "ETH" | "USDG"
      amount: string
      multiplier: number
      payout: string
      win: boolean
      seedHash: string
    }) & ({
      nextSeedHash: string
      settledAt: number
    }) | Refusal | null>
    newestPlays: (query: PlaysQuery) => Promise<Array<StoredPlay>>
    exportPlays: (after: number, before: number) => Promise<ExportedPlays | Refusal>
    bookedLines: (range: BookedRange) => Promise<BookedLines | Refusal>
    endedBet: (roundId: number) => Promise<EndedBet | Refusal | null>
    activity: (query: ActivityQuery) => Promise<ActivityPage | Refusal>
    inspect: (before: null | number) => Promise<Inspection | Refusal | null>
    play: (request: PlayRequest) => Promise<({
      game: "keno"
      meta: {
        draws: Array<number>
        picks: Array<number>
        hits: number
        risk: "classic" | "high" | "low" | "medium"
      }
    }) & (Draw) & (PayTerms) & ({
      token: "ETH" | "USDG"
      amount: string
      multiplier: number
      payout: string
      win: boolean
      seedHash: string
    }) & ({
      nextSeedHash: string
      settledAt: number
    }) & ({
      ok: true
      me: {
        chips: {
          ETH: string
          USDG: string
        }
      }
      receipt?: string
    }) & ({
      entry: TakenRef
    }) | ({
      game: "limbo"
      meta: {
        result: number
        target: number
      }
    }) & (Draw) & (PayTerms) & ({
      token: "ETH" | "USDG"
      amount: string
      multiplier: number
      payout: string
      win: boolean
      seedHash: string
    }) & ({
      nextSeedHash: string
      settledAt: number
    }) & ({
      ok: true
      me: {
        chips: {
          ETH: string
          USDG: string
        }
      }
      receipt?: string
    }) & ({
      entry: TakenRef
    }) | ({
      game: "mines"
      meta: {
        mines: Array<number>
        picked: Array<number>
      }
    }) & (Draw) & (PayTerms) & ({
      token: "ETH" | "USDG"
      amount: string
      multiplier: number
      payout: string
      win: boolean
      seedHash: string
    }) & ({
      nextSeedHash: string
      settledAt: number
    }) & ({
      ok: true
      me: {
        chips: {
          ETH: string
          USDG: string
        }
      }
      receipt?: string
    }) & ({
      entry: TakenRef
    }) | ({
      game: "plinko"
      meta: {
        bucket: number
        path: string
        rows: number
        risk: "high" | "low" | "medium"
      }
    }) & (Draw) & (PayTerms) & ({
      token: "ETH" | "USDG"
      amount: string
      multiplier: number
      payout: string
      win: boolean
      seedHash: string
    }) & ({
      nextSeedHash: string
      settledAt: number
    }) & ({
      ok: true
      me: {
        chips: {
          ETH: string
          USDG: string
        }
      }
      receipt?: string
    }) & ({
      entry: TakenRef
    }) | Refusal>
    openMines: (request: OpenRequest) => Promise<({
      game: {
        nonce: number
        seedHash: string
        nextSeedHash: string
        clientSeed: string
        token: "ETH" | "USDG"
        amountWei: string
        mines: number
        maxPicks: number
        picked: Array<number>
        multiplier: number
        next: null | number
        payout: string
        openedAt: number
      }
    }) & ({
      entry: TakenRef
    }) & ({
      ok: true
      me: {
        chips: {
          ETH: string
          USDG: string
        }
      }
    }) | Refusal>
    pickMines: (...pick: [number, number, KnownModes]) => Promise<({
      game: {
        nonce: number
        seedHash: string
        nextSeedHash: string
        clientSeed: string
        token: "ETH" | "USDG"
        amountWei: string
        mines: number
        maxPicks: number
        picked: Array<number>
        multiplier: number
        next: null | number
        payout: string
        openedAt: number
      }
      hit: boolean
      play: ({
        game: "keno"
        meta: {
          draws: Array<number>
          picks: Array<number>
          hits: number
          risk: "classic" | "high" | "low" | "medium"
        }
      }) & (Draw) & (PayTerms) & ({
        token: "ETH" | "USDG"
        amount: string
        multiplier: number
        payout: string
        win: boolean
        seedHash: string
      }) & ({
        nextSeedHash: string
        settledAt: number
      }) | ({
        game: "limbo"
        meta: {
          result: number
          target: number
        }
      }) & (Draw) & (PayTerms) & ({
        token: "ETH" | "USDG"
        amount: string
        multiplier: number
        payout: string
        win: boolean
        seedHash: string
      }) & ({
        nextSeedHash: string
        settledAt: number
      }) | ({
        game: "mines"
        meta: {
          mines: Array<number>
          picked: Array<number>
        }
      }) & (Draw) & (PayTerms) & ({
        token: "ETH" | "USDG"
        amount: string
        multiplier: number
        payout: string
        win: boolean
        seedHash: string
      }) & ({
        nextSeedHash: string
        settledAt: number
      }) | ({
        game: "plinko"
        meta: {
          bucket: number
          path: string
          rows: number
          risk: "high" | "low" | "medium"
        }
      }) & (Draw) & (PayTerms) & ({
        token: "ETH" | "USDG"
        amount: string
        multiplier: number
        payout: string
        win: boolean
        seedHash: string
      }) & ({
        nextSeedHash: string
        settledAt: number
      }) | null
    }) & ({
      entry: TakenRef
    }) & ({
      ok: true
      me: {
        chips: {
          ETH: string
          USDG: string
        }
      }
    }) | Refusal>
    cashOutMines: (nonce: number) => Promise<({
      game: "keno"
      meta: {
        draws: Array<number>
        picks: Array<number>
        hits: number
        risk: "classic" | "high" | "low" | "medium"
      }
    }) & (Draw) & (PayTerms) & ({
      token: "ETH" | "USDG"
      amount: string
      multiplier: number
      payout: string
      win: boolean
      seedHash: string
    }) & ({
      nextSeedHash: string
      settledAt: number
    }) & ({
      ok: true
      me: {
        chips: {
          ETH: string
          USDG: string
        }
      }
      receipt?: string
    }) & ({
      entry: TakenRef
    }) | ({
      game: "limbo"
      meta: {
        result: number
        target: number
      }
    }) & (Draw) & (PayTerms) & ({
      token: "ETH" | "USDG"
      amount: string
      multiplier: number
      payout: string
      win: boolean
      seedHash: string
    }) & ({
      nextSeedHash: string
      settledAt: number
    }) & ({
      ok: true
      me: {
        chips: {
          ETH: string
          USDG: string
        }
      }
      receipt?: string
    }) & ({
      entry: TakenRef
    }) | ({
      game: "mines"
      meta: {
        mines: Array<number>
        picked: Array<number>
      }
    }) & (Draw) & (PayTerms) & ({
      token: "ETH" | "USDG"
      amount: string
      multiplier: number
      payout: string
      win: boolean
      seedHash: string
    }) & ({
      nextSeedHash: string
      settledAt: number
    }) & ({
      ok: true
      me: {
        chips: {
          ETH: string
          USDG: string
        }
      }
      receipt?: string
    }) & ({
      entry: TakenRef
    }) | ({
      game: "plinko"
      meta: {
        bucket: number
        path: string
        rows: number
        risk: "high" | "low" | "medium"
      }
    }) & (Draw) & (PayTerms) & ({
      token: "ETH" | "USDG"
      amount: string
      multiplier: number
      payout: string
      win: boolean
      seedHash: string
    }) & ({
      nextSeedHash: string
      settledAt: number
    }) & ({
      ok: true
      me: {
        chips: {
          ETH: string
          USDG: string
        }
      }
      receipt?: string
    }) & ({
      entry: TakenRef
    }) | Refusal>
    withdraw: (request: WithdrawalRequest) => Promise<(WithdrawalAnswer) & ({
      entry: TakenRef
    }) | Refusal>
    balance: (token: "ETH" | "USDG") => Promise<bigint>
    transact: (transaction: Transaction) => Promise<(Transferred) & ({
      entry: TakenRef
    }) | Refusal>
    permissions: (partners: Array<string>) => Promise<Array<Permission>>
    grant: (grant: Grant) => Promise<Permission | Refusal>
    revoke: (partner: string, token: "ETH" | "USDG") => Promise<Permission>
    rollback: (rollback: Rollback) => Promise<(Transferred) & ({
      entry: EntryRef
    }) | Refusal>
    statement: (query: StatementQuery) => Promise<Refusal | StatementPage>
    withdrawalProgress: (vaultId: string, nonce: number, update: Progress) => Promise<void>
    resolveWithdrawal: (...act: [string, number, "confirmed" | "failed", string]) => Promise<Refusal | null>
    takeVaultTransaction: (transaction: VaultTransaction) => Promise<void>
    limits: () => Promise<Refusal | ShownProtection>
    changeLimits: (change: ProtectionChange) => Promise<Refusal | ShownProtection>
    isExcluded: () => Promise<boolean>
    writeOff: (actId: string) => Promise<number>
    setFrozen: (act: FreezeAct) => Promise<FreezeOutcome>
    faucet: (id: string, token: "ETH" | "USDG", amountWei: bigint) => Promise<Me | Refusal>
    verify: () => Promise<Audit>
    verifySegment: (segment: number) => Promise<SegmentAudit>
    journal: (after: number) => Promise<Array<JournalEntry2> | Refusal>
    standing: (unixMs: number) => Promise<OwnStanding>
    prepareReturn: (unixMs: number) => Promise<Refusal | {
      undo: string
    }>
    restart: () => Promise<void>
    goOn: (order: RecoveryOrder) => Promise<Refusal | Restored>
    sweep: () => Promise<void>
    sendPosition: () => Promise<void>
    position: () => Promise<Position | null>
    sendPlays: () => Promise<void>
  }
  LootboxDay: {
    commitment: () => Promise<(DayCommitment) & ({
      offer?: Offer
    })>
    offerFor: (paid: Paid) => Promise<Offer>
    roll: (message: string) => Promise<(DayCommitment) & ({
      roll: string
    })>
    takeSpin: (__0: SpinClaim) => Promise<"author" | "day" | "post" | "wallet" | TakenSpin | null>
    hasSpun: (wallet: string) => Promise<boolean>
    spinsTaken: () => Promise<number>
    disclosure: () => Promise<DayDisclosure | null>
  }
  PartnerIds: {
    claim: (use: TokenUse | null, claim: IdClaim | null) => Promise<Refusal | null>
    original: (id: string) => Promise<IdClaim | null>
    players: (after: null | string, limit: number) => Promise<Array<string>>
    claimsOf: (wallet: string, after: string, limit: number) => Promise<Array<IdClaim>>
  }
  PartnerLimit: {
    reserve: (request: CreditRequest) => Promise<{
      isGranted: boolean
      leftWei: bigint
    }>
    release: (id: string) => Promise<void>
    debited: (report: DebitReport) => Promise<void>
    today: () => Promise<{
      ETH: {
        creditedWei: string
        debitedWei: string
      }
      USDG: {
        creditedWei: string
        debitedWei: string
      }
    }>
  }
  Payment: {
    open: (wallet: string) => Promise<Pending | Refusal | {
      ok: true
      open: {
        pepper?: string
        pepperSource?: {
          kind: "committed"
          pepperHash: string
        } | {
          kind: "drand-quicknet"
          round: number
        }
        signature?: string
        acceptedAt?: number
        id: string
        txHash: null | string
        tier: number
        label: string
        prize: string
        asset: string
        status: "paid" | "paying"
        prizeTxHash: null | string
        day: string
        seedHash: string
        seed: null | string
        blockHash: null | string
        roll: number
        odds: Array<number>
      }
    }>
    prizeProgress: (update: PrizeUpdate) => Promise<void>
    sendToHistory: () => Promise<void>
    rent: (order: RentalOrder, tier: AdTier | null, recipient: string) => Promise<Pending | Refusal | {
      ok: true
      rental: Rental
    }>
  }
  Relayer: {
    pay: (order: PayoutOrder) => Promise<void>
    payPrize: (order: PrizeOrder) => Promise<void>
    prizes: (after: null | string, limit: number) => Promise<Array<{
      id: string
      opening: string
    }>>
    record: (order: ResultOrder) => Promise<void>
    closePayout: (order: PayoutOrder, outcome: "confirmed" | "failed", actId: string) => Promise<Refusal | {
      paid: Paid2 | null
    }>
    takeModes: (changes: ReadonlyArray<ModesChange>) => Promise<void>
    walletsInProgress: () => Promise<Array<string>>
    withdrawalsOf: (wallet: string) => Promise<Array<EndedWithdrawal>>
    unpaid: () => Promise<UnpaidOrders>
    conditions: (vaultId: string) => Promise<SeenConditions | null>
    gasSpent: (from: number, to: number) => Promise<bigint>
    facts: () => Promise<RelayerFacts>
    sweep: () => Promise<void>
  }
  Reprojection: {
    start: (scope: Scope) => Promise<Progress2>
    progress: () => Promise<Progress2>
    sweep: () => Promise<void>
  }
  SharedPost: {
    spun: (wallet: string) => Promise<AwaitedSpin | Refusal | null | {
      ok: true
      open: {
        pepper?: string
        pepperSource?: {
          kind: "committed"
          pepperHash: string
        } | {
          kind: "drand-quicknet"
          round: number
        }
        signature?: string
        acceptedAt?: number
        id: string
        txHash: null | string
        tier: number
        label: string
        prize: string
        asset: string
        status: "paid" | "paying"
        prizeTxHash: null | string
        day: string
        seedHash: string
        seed: null | string
        blockHash: null | string
        roll: number
        odds: Array<number>
      }
    }>
    spin: (wallet: string, author: string) => Promise<AwaitedSpin | Refusal | {
      ok: true
      open: {
        pepper?: string
        pepperSource?: {
          kind: "committed"
          pepperHash: string
        } | {
          kind: "drand-quicknet"
          round: number
        }
        signature?: string
        acceptedAt?: number
        id: string
        txHash: null | string
        tier: number
        label: string
        prize: string
        asset: string
        status: "paid" | "paying"
        prizeTxHash: null | string
        day: string
        seedHash: string
        seed: null | string
        blockHash: null | string
        roll: number
        odds: Array<number>
      }
    }>
    prizeProgress: (update: PrizeUpdate) => Promise<void>
    sendToHistory: () => Promise<void>
  }
  Solvency: {
    read: (wallet: null | string) => Promise<Solvent | null>
    sweep: () => Promise<void>
    publish: () => Promise<Refusal | Statement>
  }
  TransparencyLog: {
    append: (entry: LogEntry) => Promise<Logged>
    find: (kind: LogKind, id: string) => Promise<Logged | null>
    checkpoint: () => Promise<string>
    tile: (tile: Tile) => Promise<Uint8Array<ArrayBuffer | SharedArrayBuffer> | null>
    facts: () => Promise<LogFacts>
  }
  Treasury: {
    bankroll: () => Promise<{
      ETH: bigint
      USDG: bigint
    }>
    facts: () => Promise<BankrollFacts>
    reconciliation: () => Promise<DriftRecord | null>
    recentPlayers: () => Promise<Array<string> | Refusal>
    beat: () => Promise<void>
    count: () => Promise<HouseCount | Refusal>
  }
  VaultWatch: {
    catchUp: () => Promise<boolean>
    look: () => Promise<boolean>
    nonceUse: (player: `0x${string}`, nonce: number) => Promise<NonceUse | null>
    players: (after: null | string, limit: number) => Promise<Array<string>>
    standing: (inProgress: Array<string>, others?: Array<string>) => Promise<Standing2>
    tellAgain: (account: string) => Promise<void>
    missing: () => Promise<Array<{
      account: string
      since: number
    }>>
    facts: () => Promise<ChainFacts>
  }
}

type SetTerm = boolean | number | {
  [key: string]: string
}

type ModesChange = {
  number: number
  takesEffectAt: number
  modes: {
    [key: string]: "closed" | "draining"
  }
  terms: {
    [key: string]: SetTerm
  }
}

type ModesVersion = {
  at: number
  prevHash: string
  hash: string
  number: number
  takesEffectAt: number
  modes: {
    [key: string]: "closed" | "draining"
  }
  terms: {
    [key: string]: SetTerm
  }
}

type Authority = {
  role: "admin" | "support" | "treasurer" | "viewer"
  operators: 1 | 2
}

type Approval = {
  operator: string
  role: "admin" | "support" | "treasurer" | "viewer"
  at: number
}

type ActResult = {
  isDone: boolean
  message: string
}

type KeptAct = {
  hash: string
  needs: Authority
  approvals: Array<Approval>
  decidedAt: null | number
  result: ActResult | null
  act: "confirm-withdrawal" | "freeze" | "mode" | "release-withdrawal" | "reproject" | "restore" | "terms" | "unfreeze" | "write-off"
  target: string
  reason: string
  expiresAt: number
}

type ControlOverview = {
  version: ModesVersion | null
  switches: Array<string>
  acts: {
    waiting: Array<KeptAct>
    decided: Array<KeptAct>
  }
}

type Act = {
  act: "confirm-withdrawal" | "freeze" | "mode" | "release-withdrawal" | "reproject" | "restore" | "terms" | "unfreeze" | "write-off"
  target: string
  reason: string
  expiresAt: number
}

type JournalEntry = {
  number: number
  act: Act
  actHash: string
  signature: string
  prevHash: string
  hash: string
  operator: string
  role: "admin" | "support" | "treasurer" | "viewer"
  at: number
}

type Refusal = {
  ok: false
  error: {
    code: string
    message: string
    details?: Array<{
      path: string
      message: string
    }> | undefined | {
      [key: string]: null | number | string
    }
  }
}

type PepperSource = {
  kind: "committed"
  pepperHash: string
} | {
  kind: "drand-quicknet"
  round: number
}

type TokenLimits = {
  maxRoundPayout: string
  min: string
  max: string
  maxPayout: string
}

type ShownBankroll = {
  amounts: {
    ETH: string
    USDG: string
  }
  payoutBps: number
  roundBps: number
}

type RoundPlan = {
  roundId: number
  openedAt: number
  betsCloseAt: number
  flightAt: number
  voidAt: number
  resultsMs: number
  edgeBps: number
  terms: string
  seedHash: string
  pepperSource: PepperSource
  minForcedMultiplier: number
  limits: {
    ETH: TokenLimits
    USDG: TokenLimits
  }
  bankroll?: ShownBankroll
}

type ShownStage = "flight" | "locked" | "open" | "over" | "results" | "void" | "waiting"

type FixedBets = {
  betsRoot: string
  betCount: number
}

type BetTotals = {
  count: number
  amountWei: string
}

type Win = {
  wallet: string
  token: "ETH" | "USDG"
  amountWei: string
  multiplier: number
  payoutWei: string
  at: number
}

type SettledRound = {
  kind: "settled"
  pepper: string
  signature: null | string
  crash: number
  takeoffAt: number
  roundId: number
  seedHash: string
  seed: string
  pepperSource: PepperSource
  edgeBps: number
  betCount: number
  openedAt: number
  betsCloseAt: number
  endedAt: number
  resultsUntil: number
}

type VoidedRound = {
  kind: "voided"
  reason: string
  roundId: number
  seedHash: string
  seed: string
  pepperSource: PepperSource
  edgeBps: number
  betCount: number
  openedAt: number
  betsCloseAt: number
  endedAt: number
  resultsUntil: number
}

type RoundView = {
  plan: RoundPlan
  setTerms: {
    [key: string]: SetTerm
  }
  stage: ShownStage
  asOf: number
  takeoffAt: number
  multiplier: number
  fixedBets: FixedBets | null
  totals: {
    ETH: BetTotals
    USDG: BetTotals
  }
  wins: Array<Win>
  result: SettledRound | VoidedRound | null
  restsUntil?: number
}

type ShownBet = {
  wallet: string
  token: "ETH" | "USDG"
  amountWei: string
  multiplier: null | number
  payout: null | string
}

type RoundReport = {
  freshBets: Array<ShownBet>
  freshWins: Array<Win>
  plan: RoundPlan
  setTerms: {
    [key: string]: SetTerm
  }
  stage: ShownStage
  asOf: number
  takeoffAt: number
  multiplier: number
  fixedBets: FixedBets | null
  totals: {
    ETH: BetTotals
    USDG: BetTotals
  }
  wins: Array<Win>
  result: SettledRound | VoidedRound | null
  restsUntil?: number
  winCount: number
  betCount: number
}

type TableBets = {
  roundId: number
  betsRoot: null | string
  totals: {
    ETH: BetTotals
    USDG: BetTotals
  }
  bets: Array<ShownBet>
}

type Placement = {
  betId: string
  wallet: string
  token: "ETH" | "USDG"
  amountWei: bigint
  autoCashout: null | number
}

type OpenBet = {
  roundId: number
  token: "ETH" | "USDG"
  amountWei: string
  autoCashout: null | number
  placedAt: number
}

type Me = {
  chips: {
    ETH: string
    USDG: string
  }
  quarantine: {
    ETH: string
    USDG: string
  }
  openBet: OpenBet | null
  nonce: number
}

type CashoutAnswer = {
  ok: true
  fresh: boolean
  multiplier: number
  payoutWei: string
  at: number
  me: Me
}

type TakenRef = {
  terms: string
  seq: number
  hash: string
  at: number
}

type BetOutcome = {
  kind: "live"
} | {
  kind: "lost"
} | {
  kind: "never_placed"
} | {
  kind: "voided"
} | {
  kind: "won"
  multiplier: number
  payoutWei: string
}

type EndedLeaf = {
  placedAt: number
  outcome: "lost" | "voided" | "won"
  multiplier: number
  payout: string
  cashedOutAt: null | number
  n: number
  betId: string
  wallet: string
  token: "ETH" | "USDG"
  amountWei: string
  autoCashout: null | number
  salt: string
}

type WholeRound = {
  ok: true
  roundId: number
  plan: RoundPlan | null
  openedAt: number
  betsCloseAt: number
  endedAt: number
  edgeBps: number
  seedHash: string
  seed: string
  pepperSource: PepperSource
  pepper: null | string
  crash: null | number
  takeoffAt: null | number
  signature: null | string
  reason: null | string
  bets: Array<EndedLeaf>
  next: null | number
  betsRoot: string
  betCount: number
}

type Mode = "closed" | "draining" | "open"

type Snapshot = {
  history: Array<{
    roundId: number
    crash: number
  }>
  recentWins: Array<Win>
  mode: Mode
  plan: RoundPlan
  setTerms: {
    [key: string]: SetTerm
  }
  stage: ShownStage
  asOf: number
  takeoffAt: number
  multiplier: number
  fixedBets: FixedBets | null
  totals: {
    ETH: BetTotals
    USDG: BetTotals
  }
  wins: Array<Win>
  result: SettledRound | VoidedRound | null
  restsUntil?: number
}

type DisclosedRound = {
  pepper: string
  crash: number
  edgeBps: number
  signature?: string
  roundId: number
  seedHash: string
  seed: string
  pepperSource: PepperSource
  openedAt: number
  betsCloseAt: number
}

type DisclosedVoid = {
  reason: string
  roundId: number
  seedHash: string
  seed: string
  pepperSource: PepperSource
  openedAt: number
  betsCloseAt: number
}

type Disclosure = {
  ok: true
  rounds: Array<DisclosedRound>
  voided: Array<DisclosedVoid>
}

type EndedRound = {
  kind: "settled" | "voided"
  endedAt: number
  resultsUntil: number
  beacon: null | number
}

type Line = {
  asset: string
  debit: string
  credit: string
  amountWei: bigint
}

type DayBooks = {
  lines: Array<Line>
  day: string
  countedAt: number
  isClosed: boolean
  wallets: number
  entries: number
  problems: Array<string>
}

type PartnerBooks = {
  wagered: bigint
  returned: bigint
}

type ExportedDay = {
  day: string
  manifest: string
  sha256: string
}

type ExportFacts = {
  nextDay: null | string
  newestDay: null | string
}

type OpenRound = ({
  stage: ShownStage
  takeoffAt: number
}) & ({
  openedAt: number
  flightAt: number
  voidAt: number
})

type TableFacts = {
  rounds: number
  voided: number
  unswept: number
  lastReadAt: number
  isOpen: boolean
  failingSince: null | number
  newest: EndedRound | null
  current: OpenRound | null
}

type ChainFacts = {
  checkedAt: null | number
  block: null | number
  blockAt: null | number
  untold: number
}

type Waiting = {
  count: number
  oldestAt: null | number
}

type SeenConditions = {
  gasPriceWei: string
  isPaused: boolean
  balanceWei: string
  poolWei: null | {
    ETH: string
    REWARD: string
  }
  at: number
}

type RelayerFacts = {
  withdrawals: Waiting
  prizes: Waiting
  unmined: number
  nextNonce: number
  seen: SeenConditions | null
  reserveWei: string
}

type ReconciliationFacts = {
  at: number
  driftWei: {
    ETH: string
    USDG: string
  }
  driftingSince: {
    ETH: null | number
    USDG: null | number
  }
}

type BankrollFacts = {
  countedAt: null | number
  isValid: boolean
  doubt: "behind" | "incomplete" | "restored" | null
  wallets: number
  owedWei: {
    ETH: string
    USDG: string
  }
  bankrollWei: {
    ETH: string
    USDG: string
  }
  resultWei: {
    ETH: string
    USDG: string
  }
  reconciliation: ReconciliationFacts | null
}

type LogFacts = {
  size: number
  archived: number
  isForked: boolean
  failingSince: null | number
}

type SolvencyFacts = {
  newest: null | {
    epoch: number
    at: number
    leaves: number
    ratio: {
      ETH: string
      USDG: string
    }
  }
}

type LootboxFacts = {
  spins: number
  spinDailyLimit: number
}

type PartnerFacts = {
  ETH: {
    creditedWei: string
    debitedWei: string
    limitWei: string
  }
  USDG: {
    creditedWei: string
    debitedWei: string
    limitWei: string
  }
}

type StuckFacts = {
  objects: number
  messages: number
  oldestAt: null | number
  byClass: {
    [key: string]: {
      objects: number
      messages: number
    }
  }
}

type Facts = {
  at: number
  isLocal: boolean
  hasBeacon: boolean
  table: "off" | "silent" | TableFacts
  chain: "off" | "silent" | ChainFacts
  relayer: "off" | "silent" | RelayerFacts
  bankroll: "off" | "silent" | BankrollFacts
  log: "off" | "silent" | LogFacts
  exports: "off" | "silent" | ExportFacts
  solvency: "off" | "silent" | SolvencyFacts
  lootbox: "off" | "silent" | LootboxFacts
  partners: {
    [key: string]: "off" | "silent" | PartnerFacts
  }
  stuck: StuckFacts
}

type StuckObject = {
  class: string
  name: string
  messages: number
  since: number
}

type StuckReport = {
  class: string
  name: string
  messages: number
}

type Phase = "betting" | "flight" | "results"

type RoundNow = {
  roundId: number
  phase: Phase
  multiplier: number
}

type BetOrder = {
  token: "ETH" | "USDG"
  amountWei: bigint
  autoCashout: null | number
}

type KnownModes = {
  changes: ReadonlyArray<ModesChange>
  holdsUntil: number
}

type BetRequest = {
  roundId: number
  order: BetOrder
  open: boolean
  betsCloseAt: number
  maxPayout: bigint
  now: RoundNow
  modes: KnownModes
  min: bigint
  max: bigint
}

type BetAnswer = {
  ok: true
  roundId: number
  me: Me
  receipt?: string
}

type EntryRef = {
  seq: number
  hash: string
  at: number
}

type FinalOutcome = {
  kind: "lost"
} | {
  kind: "never_placed"
} | {
  kind: "voided"
} | {
  kind: "won"
  multiplier: number
  payoutWei: string
}

type NextPlay = {
  nonce: number
  seedHash: string
}

type Draw = {
  seed: string
  clientSeed: string
  nonce: number
}

type PayTerms = {
  edgeBps: number
  tables: number
}

type PlaysQuery = {
  game: null | string
  limit: number
}

type StoredPlay = ({
  game: "keno"
  meta: {
    draws: Array<number>
    picks: Array<number>
    hits: number
    risk: "classic" | "high" | "low" | "medium"
  }
}) & (Draw) & (PayTerms) & ({
  token: "ETH" | "USDG"
  amount: string
  multiplier: number
  payout: string
  win: boolean
  seedHash: string
}) & ({
  nextSeedHash: string
  settledAt: number
}) | ({
  game: "limbo"
  meta: {
    result: number
    target: number
  }
}) & (Draw) & (PayTerms) & ({
  token: "ETH" | "USDG"
  amount: string
  multiplier: number
  payout: string
  win: boolean
  seedHash: string
}) & ({
  nextSeedHash: string
  settledAt: number
}) | ({
  game: "mines"
  meta: {
    mines: Array<number>
    picked: Array<number>
  }
}) & (Draw) & (PayTerms) & ({
  token: "ETH" | "USDG"
  amount: string
  multiplier: number
  payout: string
  win: boolean
  seedHash: string
}) & ({
  nextSeedHash: string
  settledAt: number
}) | ({
  game: "plinko"
  meta: {
    bucket: number
    path: string
    rows: number
    risk: "high" | "low" | "medium"
  }
}) & (Draw) & (PayTerms) & ({
  token: "ETH" | "USDG"
  amount: string
  multiplier: number
  payout: string
  win: boolean
  seedHash: string
}) & ({
  nextSeedHash: string
  settledAt: number
})

type ExportedPlay = ({
  game: "keno"
  meta: {
    draws: Array<number>
    picks: Array<number>
    hits: number
    risk: "classic" | "high" | "low" | "medium"
  }
}) & (Draw) & (PayTerms) & ({
  token: "ETH" | "USDG"
  amount: string
  multiplier: number
  payout: string
  win: boolean
  seedHash: string
}) & ({
  nextSeedHash: string
  settledAt: number
}) & ({
  terms: null | string
}) | ({
  game: "limbo"
  meta: {
    result: number
    target: number
  }
}) & (Draw) & (PayTerms) & ({
  token: "ETH" | "USDG"
  amount: string
  multiplier: number
  payout: string
  win: boolean
  seedHash: string
}) & ({
  nextSeedHash: string
  settledAt: number
}) & ({
  terms: null | string
}) | ({
  game: "mines"
  meta: {
    mines: Array<number>
    picked: Array<number>
  }
}) & (Draw) & (PayTerms) & ({
  token: "ETH" | "USDG"
  amount: string
  multiplier: number
  payout: string
  win: boolean
  seedHash: string
}) & ({
  nextSeedHash: string
  settledAt: number
}) & ({
  terms: null | string
}) | ({
  game: "plinko"
  meta: {
    bucket: number
    path: string
    rows: number
    risk: "high" | "low" | "medium"
  }
}) & (Draw) & (PayTerms) & ({
  token: "ETH" | "USDG"
  amount: string
  multiplier: number
  payout: string
  win: boolean
  seedHash: string
}) & ({
  nextSeedHash: string
  settledAt: number
}) & ({
  terms: null | string
})

type ExportedPlays = {
  plays: Array<ExportedPlay>
  seq: number
  isAll: boolean
  openGame: null | number
}

type BookedRange = {
  from: number
  to: number
  after: number
}

type BookedLines = {
  lines: Array<Line>
  entries: number
  seq: number
  isAll: boolean
  problem: null | string
}

type EndedBet = {
  placedAt: number
  outcome: {
    kind: "lost"
  } | {
    kind: "voided"
  } | {
    kind: "won"
    multiplier: number
    payoutWei: string
  }
  token: "ETH" | "USDG"
  amountWei: bigint
  autoCashout: null | number
}

type ActivityQuery = {
  kind: "crash" | "deposit" | "keno" | "limbo" | "mines" | "partner" | "plinko" | "withdrawal" | null
  before: null | number
  limit: number
}

type ActivityKind = "crash" | "deposit" | "keno" | "limbo" | "mines" | "partner" | "plinko" | "withdrawal"

type Activity = {
  seq: number
  at: number
  kind: ActivityKind
  token: "ETH" | "USDG"
  amountWei: string
  payout: null | string
  roundId?: number
  outcome?: "lost" | "voided" | "won"
  multiplier?: number
  nonce?: number
  txHash?: string
  partner?: string
  partnerTransactionId?: string
}

type ActivityPage = {
  entries: Array<Activity>
  next: null | number
  totals: {
    ETH: ({
      deposited: string
      returned: string
      wagered: string
      withdrawn: string
    }) & ({
      bets: number
    })
    USDG: ({
      deposited: string
      returned: string
      wagered: string
      withdrawn: string
    }) & ({
      bets: number
    })
  }
}

type WithdrawalStatus = "confirmed" | "failed" | "pending" | "submitted"

type Withdrawal = {
  nonce: number
  token: "ETH" | "USDG"
  amountWei: string
  status: WithdrawalStatus
  txHash: null | string
}

type Posting = {
  token: "ETH" | "USDG"
  from: "chips" | "faucet" | "fees" | "house" | "in_play" | "partner" | "quarantine" | "vault" | "withdrawing"
  to: "chips" | "faucet" | "fees" | "house" | "in_play" | "partner" | "quarantine" | "vault" | "withdrawing"
  amountWei: string
}

type InspectedEntry = {
  seq: number
  at: number
  operationId: string
  postings: Array<Posting>
  hash: string
}

type Inspection = {
  entries: number
  balances: {
    ETH: {
      chips: string
      faucet: string
      fees: string
      house: string
      in_play: string
      partner: string
      quarantine: string
      vault: string
      withdrawing: string
    }
    USDG: {
      chips: string
      faucet: string
      fees: string
      house: string
      in_play: string
      partner: string
      quarantine: string
      vault: string
      withdrawing: string
    }
  }
  totals: {
    ETH: {
      bets: string
      deposited: string
      returned: string
      wagered: string
      withdrawn: string
    }
    USDG: {
      bets: string
      deposited: string
      returned: string
      wagered: string
      withdrawn: string
    }
  }
  openBets: number
  withdrawals: Array<Withdrawal>
  isFrozen: boolean
  missingDeposits: number
  journal: Array<InspectedEntry>
  next: null | number
}

type Selection = {
  game: "keno"
  params: {
    picks: Array<number>
    risk: "classic" | "high" | "low" | "medium"
  }
} | {
  game: "limbo"
  params: {
    target: number
  }
} | {
  game: "mines"
  params: {
    mines: number
    picked: Array<number>
  }
} | {
  game: "plinko"
  params: {
    risk: "high" | "low" | "medium"
    rows: number
  }
}

type PlayRequest = {
  selection: Selection
  edgeBps: number
  tables: number
  min: bigint
  max: bigint
  token: "ETH" | "USDG"
  amountWei: bigint
  clientSeed: string
  nonce: null | number
  maxPayout: bigint
  terms: string
  seenTerms: null | string
  minPlayMs: number
  modes: KnownModes
}

type OpenRequest = {
  maxPayout: bigint
  terms: string
  mines: number
  edgeBps: number
  tables: number
  min: bigint
  max: bigint
  token: "ETH" | "USDG"
  amountWei: bigint
  clientSeed: string
  nonce: null | number
  seenTerms: null | string
  minPlayMs: number
  modes: KnownModes
}

type WithdrawalRequest = {
  token: "ETH" | "USDG"
  amountWei: bigint
  nonce: number
  signature: string
  isSigned: boolean | null
  min: bigint
  isVaultPaused: boolean
  terms: string
  modes: KnownModes
}

type WithdrawalAnswer = {
  ok: true
  withdrawal: Withdrawal
  me: Me
  receipt?: string
}

type DebitTerms = {
  isOpen: boolean
  needsPermission: boolean
  hourWei: bigint
}

type CreditLimits = {
  transactionWei: bigint
  dayWei: bigint
}

type Transaction = {
  amountWei: bigint
  debits: DebitTerms
  modes: KnownModes
  partner: string
  id: string
  token: "ETH" | "USDG"
  limits: CreditLimits
  terms: string
}

type Transferred = {
  ok: true
  version: 1
  id: string
  token: "ETH" | "USDG"
  beforeWei: string
  afterWei: string
}

type Permission = {
  partner: string
  token: "ETH" | "USDG"
  nonce: number
  maxPerDayWei: string
  expiresAt: null | number
  usedWei: string
}

type Grant = {
  partner: string
  token: "ETH" | "USDG"
  maxPerDayWei: bigint
  expiresAt: number
  nonce: number
  signature: string
  isSigned: boolean | null
}

type Rollback = {
  originalId: string
  partner: string
  id: string
  token: "ETH" | "USDG"
  limits: CreditLimits
  terms: string
}

type StatementQuery = {
  partner: string
  token: "ETH" | "USDG"
  from: number
  to: number
  cursor: number
  limit: number
}

type StatementEntry = {
  transferred: Transferred
  originalId: null | string
  at: number
  cursor: number
}

type StatementPage = {
  entries: Array<StatementEntry>
  next: null | number
}

type Progress = {
  status: WithdrawalStatus
  txHash: null | string
  version: number
}

type VaultMovement = {
  kind: "deposited" | "funded" | "house-withdrawn"
  position: number
  token: "ETH" | "USDG"
  amountWei: bigint
}

type VaultTransaction = {
  vaultId: string
  txHash: string
  version: number
  isOnChain: boolean
  movements: Array<VaultMovement>
}

type Most = {
  amountWei: null | string
  minutes: null | number
}

type Limit = {
  from: number
  pending: (Most) & ({
    from: number
  }) | null
  kind: "deposit" | "loss" | "session" | "wager"
  window: "day" | "month" | "week"
  token: "ETH" | "USDG" | null
  amountWei: null | string
  minutes: null | number
}

type ShownSession = {
  startedAt: null | number
  wagered: {
    ETH: string
    USDG: string
  }
  net: {
    ETH: string
    USDG: string
  }
}

type ShownProtection = {
  limits: Array<(Limit) & ({
    used: string
  })>
  excluded: boolean
  excludedUntil: null | number
  session: ShownSession
  realityCheckMinutes: null | number
}

type Counted = {
  kind: "deposit" | "loss" | "session" | "wager"
  window: "day" | "month" | "week"
  token: "ETH" | "USDG" | null
}

type ProtectionChange = {
  action: "confirm" | "remove"
  counted: Counted
} | {
  action: "exclude"
  days: null | number
} | {
  action: "readmit"
} | {
  action: "reality-check"
  minutes: null | number
} | {
  action: "set"
  counted: Counted
  most: Most
}

type FreezeAct = {
  id: string
  at: number
  isFrozen: boolean
}

type FreezeOutcome = "done" | "not-frozen" | "overtaken"

type Audit = {
  ok: false
  problem: string
} | {
  ok: true
  entries: number
  archived: number
  headHash: string
  balances: {
    ETH: {
      [key: string]: string
    }
    USDG: {
      [key: string]: string
    }
  }
}

type SegmentAudit = {
  ok: false
  problem: string
} | {
  ok: true
}

type JournalEntry2 = {
  seq: number
  operationId: string
  request: string
  postings: Array<Posting>
  result: string
  at: number
  headDigest: string
  previousHash: string
  hash: string
}

type Balances = {
  ETH: {
    chips: bigint
    faucet: bigint
    fees: bigint
    house: bigint
    in_play: bigint
    partner: bigint
    quarantine: bigint
    vault: bigint
    withdrawing: bigint
  }
  USDG: {
    chips: bigint
    faucet: bigint
    fees: bigint
    house: bigint
    in_play: bigint
    partner: bigint
    quarantine: bigint
    vault: bigint
    withdrawing: bigint
  }
}

type OwnStanding = {
  balances: Balances
  at: number
  seqThen: number
  seq: number
  hash: string
}

type Known = {
  seq: number
  hash: null | string
  balances: Balances
}

type Standing = {
  seq: number
  hash: string
}

type PayoutOrder = {
  kind: "withdrawal"
  vaultId: string
  player: string
  token: "ETH" | "USDG"
  amountWei: string
  nonce: number
  signature: string
  isSmall: boolean
}

type EndedWithdrawal = {
  order: PayoutOrder
  outcome: "confirmed" | "failed" | null
  txHash: null | string
  version: number
  closedBy: null | string
}

type LostTransfer = {
  partner: string
  id: string
  request: string
}

type RecoveryOrder = {
  actId: string
  known: Known
  kept: Standing
  withdrawals: Array<EndedWithdrawal>
  transfers: Array<LostTransfer>
  writeOffs?: Array<string>
}

type Restored = {
  kept: Standing
  known: {
    seq: number
    hash: null | string
  }
  goesOn: Standing
  borneWei: {
    ETH: string
    USDG: string
  }
}

type Totals = {
  ETH: {
    bets: bigint
    deposited: bigint
    returned: bigint
    wagered: bigint
    withdrawn: bigint
  }
  USDG: {
    bets: bigint
    deposited: bigint
    returned: bigint
    wagered: bigint
    withdrawn: bigint
  }
}

type Position = {
  wallet: string
  version: number
  headHash: string
  balances: Balances
  totals: Totals
  unresolved: boolean
  hasDeposited: boolean
  nextNonce: number
  openWithdrawals: number
  at: number
}

type DayCommitment = {
  day: string
  seedHash: string
  pepperHash: string
  committedAt: number
}

type Prize = {
  bps: number
  label: string
  asset: string
  amountWei: string
}

type Offer = {
  pool: string
  price: string
  prizes: ReadonlyArray<Prize>
}

type Paid = {
  to: null | string
  valueWei: bigint
  paidAt: number
}

type SpinClaim = {
  wallet: string
  author: string
  post: string
}

type TakenSpin = {
  acceptedAt: number
  pepperSource: PepperSource
  pepper: null | string
  prizes?: ReadonlyArray<Prize>
}

type DayDisclosure = {
  seed: null | string
  day: string
  seedHash: string
  pepperHash: string
  committedAt: number
}

type TokenUse = {
  jti: string
  callHash: string
  expiresAt: number
}

type IdClaim = {
  id: string
  kind: "rollback" | "transaction"
  wallet: string
  token: "ETH" | "USDG"
  request: string
}

type CreditRequest = {
  id: string
  amountWei: bigint
  limitWei: bigint
  wallet: string
  token: "ETH" | "USDG"
  day: number
  debitedWei: bigint
}

type DebitReport = {
  wallet: string
  token: "ETH" | "USDG"
  day: number
  debitedWei: bigint
}

type Pending = {
  ok: true
  status: "pending"
  confirmations: number
  required: number
}

type PrizeUpdate = {
  isPaid: boolean
  txHash: null | string
  version: number
}

type RentalOrder = {
  wallet: string
  date: string
  hours: number
  title: string
  imageUrl: string
  linkUrl: string
}

type AdTier = {
  days: number
  label: string
  priceWei: string
}

type Rental = {
  id: string
  wallet: string
  startsAt: number
  endsAt: number
  label: string
  title: string
  imageUrl: string
  linkUrl: string
}

type PrizeOrder = {
  kind: "prize"
  prizeId: `0x${string}`
  pool: string
  chainId: number
  to: string
  asset: string
  amountWei: string
  opening: string
}

type ResultOrder = {
  kind: "result"
  vaultId: string
  token: "ETH" | "USDG"
  resultWei: string
  at: number
}

type Paid2 = {
  token: "ETH" | "USDG"
  amountWei: string
}

type OrderStep = "burn" | "prize" | "record" | "withdraw"

type Unpaid = {
  id: string
  order: PayoutOrder | PrizeOrder
  step: OrderStep
  state: "queued" | "sent"
  orderedAt: number
  cause: "access_keys_read_failed" | "act_delayed" | "bankroll_not_counted" | "bankroll_read_failed" | "bet_outcome_unknown" | "boxes_read_failed" | "chain_conditions_read_failed" | "chain_configuration_mismatch" | "contract_wallet_read_failed" | "control_log_unread" | "credited_deposit_missing" | "database_restored" | "daybook_delayed" | "daybook_unbalanced" | "earlier_withdrawal_missing" | "ended_game_not_told" | "ended_withdrawal_contradicted" | "export_boxes_failed" | "export_plays_failed" | "feed_write_failed" | "heartbeat_write_failed" | "history_read_failed" | "house_count_failed" | "journal_archive_failed" | "journal_archive_unavailable" | "journal_unsound" | "ledger_standing_unknown" | "ledger_went_back" | "log_anchor_failed" | "log_archive_unavailable" | "log_copy_failed" | "log_forked" | "modes_read_failed" | "nonce_paid_otherwise" | "nonce_use_unknown" | "outbox_message_stuck" | "payment_read_failed" | "payout_failed" | "payout_paid_after_burn" | "payout_vault_not_configured" | "position_send_failed" | "preview_read_failed" | "prize_not_payable" | "prize_price_read_failed" | "receipt_not_signed" | "reconciliation_failed" | "relayer_look_failed" | "relayer_needs_funding" | "relayer_nonce_lost" | "relayer_transaction_reorganized" | "request_failed" | "result_refused" | "round_history_read_failed" | "round_sweep_failed" | "rpc_call_failed" | "rpc_upstream_failed" | "settled_block_reorganized" | "solvency_count_given_up" | "solvency_not_logged" | "stream_not_told" | "stream_report_failed" | "stream_round_read_failed" | "stream_table_read_failed" | "sweep_failed" | "terms_not_logged" | "transaction_broadcast_failed" | "vault_block_reorganized" | "vault_drift_stays" | "vault_logs_incomplete" | "vault_read_failed" | "vault_relayer_differs" | "vault_watch_failed" | "withdrawal_not_payable" | "withdrawals_paused" | null
}

type UnpaidOrders = {
  areWithdrawalsClosed: boolean
  orders: Array<Unpaid>
}

type Scope = "everything" | "positions"

type Progress2 = {
  scope: "everything" | "positions" | null
  stage: "depositors" | "listed" | "openings" | "partners" | "rounds" | null
  asked: number
  waiting: number
  startedAt: null | number
  finishedAt: null | number
}

type AwaitedSpin = {
  ok: true
  status: "pending"
  acceptedAt: number
  pepperSource: PepperSource
  expectedAt: number
}

type Statement = {
  epoch: number
  at: number
  root: string
  owed: {
    ETH: string
    USDG: string
  }
  partners: {
    ETH: string
    USDG: string
  }
  vault: {
    holdings: {
      ETH: string
      USDG: string
    }
    blockNumber: number
    blockHash: string
  }
  leaves: number
  ratio: {
    ETH: string
    USDG: string
  }
}

type Sibling = {
  hash: string
  ETH: string
  USDG: string
}

type SolvencyProof = {
  salt: string
  walletSalt: string
  leaf: {
    seq: number
    owed: {
      ETH: string
      USDG: string
    }
    deposited: {
      ETH: string
      USDG: string
    }
    withdrawn: {
      ETH: string
      USDG: string
    }
  }
  index: number
  top: string
  siblings: Array<Sibling>
}

type Solvent = {
  statement: Statement
  proof: SolvencyProof | null
}

type LogKind = "batch" | "bets" | "control" | "end" | "export" | "key" | "log" | "plan" | "seeds" | "solvency" | "terms" | "void"

type Json = ReadonlyArray<Json> | boolean | null | number | string | {
  [key: string]: Json
}

type LogEntry = {
  kind: LogKind
  id: string
  at: number
  [key: string]: Json
}

type Logged = {
  index: number
  entry: LogEntry
}

type Tile = {
  level: "entries" | number
  index: number
  width: number
}

type KeptDrift = {
  since: number
  until: null | number
  token: "ETH" | "USDG"
  place: string
  amountWei: bigint
}

type Drifting = {
  token: "ETH" | "USDG"
  since: number
  pausedWei: bigint
}

type TokenBooks = {
  holdings: bigint
  unbooked: bigint
  owed: bigint
  partners: bigint
  house: bigint
  faucet: bigint
  inFlight: bigint
  drift: bigint
}

type DriftRecord = {
  drifts: Array<KeptDrift>
  ended: Array<KeptDrift>
  drifting: Array<Drifting>
  at: number
  block: number
  blockHash: string
  books: {
    ETH: TokenBooks
    USDG: TokenBooks
  }
}

type HouseCount = {
  ok: true
  bankroll: {
    ETH: bigint
    USDG: bigint
  }
  results: {
    ETH: bigint
    USDG: bigint
  }
}

type NonceUse = {
  kind: "burned" | "withdrawn"
  txHash: `0x${string}`
  block: number
  token: "ETH" | "USDG" | null
  amountWei: bigint | null
}

type VaultLogKind = "burned" | "deposited" | "funded" | "house-withdrawn" | "withdrawn"

type FreshLog = {
  token: "ETH" | "USDG"
  isRecent: boolean
  kind: VaultLogKind
  amountWei: bigint
  nonce: null | number
  seenAt: number
  toldAt: null | number
  isRepeated: boolean
}

type AccountLogs = {
  wallet: string
  net: {
    ETH: bigint
    USDG: bigint
  }
  fresh: Array<FreshLog>
}

type Standing2 = {
  isCurrent: boolean
  block: number
  blockHash: null | string
  settledPlayers: number
  net: {
    ETH: bigint
    USDG: bigint
  }
  recent: Array<AccountLogs>
  others: Array<AccountLogs>
}
