// The object calls of release 0.3.0. Written by `npm run released` at a release: see CONTRIBUTING.md.

export interface Released {
  Control: {
    modes: () => Promise<Array<ModesChange>>
    newestModes: () => Promise<ModesVersion | null>
    facts: () => Promise<ControlFacts>
    overview: () => Promise<ControlOverview>
    freezes: () => Promise<Array<ActRecord>>
    closedWallets: () => Promise<Array<{
      name: string
      act: ActRecord
    }>>
    journal: (after: number) => Promise<Array<OperatorJournalEntry>>
    approve: (hash: string, act: Act, __2: {
      operator: string
      signature: string
    }) => Promise<ActRecord | Refusal>
    pauseWithdrawals: (reason: string) => Promise<void>
    closeWallet: (wallet: string, reason: string) => Promise<void>
  }
  CrashRound: {
    open: (setTerms: {
      [key: string]: SetTerm
    }) => Promise<RoundView | SettledRound | VoidedRound>
    view: () => Promise<RoundView | null>
    follow: (winCount: number, betCount?: number) => Promise<RoundReport | null>
    tableBets: (wallet: null | string, isAlone?: boolean) => Promise<TableBets | null>
    place: (placement: Placement) => Promise<Refusal | null>
    cashOut: (wallet: string) => Promise<(CashoutAnswer) & ({
      entry: TakenRef
    }) | Refusal>
    takeBeacon: (signature: string) => Promise<Refusal | boolean>
    outcome: (betId: string) => Promise<BetOutcome>
    result: () => Promise<SettledRound | VoidedRound | null>
    whole: (from: number) => Promise<WholeRound | null>
    sendToHistory: (withBets?: boolean) => Promise<void>
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
    endedRound: (roundId: number) => Promise<SettledRound | VoidedRound | null>
    facts: () => Promise<{
      databaseBytes: number
      rounds: number
      voided: number
      unswept: number
      lastReadAt: number
      isOpen: boolean
      failingSince: null | number
      newest: NewestRoundFacts | null
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
          ETH: PartnerTotals
          USDG: PartnerTotals
        }
      }
    }>
    facts: () => Promise<BooksFacts>
  }
  Exporter: {
    sweep: () => Promise<void>
    closeDay: () => Promise<ExportedDay | null>
    days: (limit: number, before?: null | string) => Promise<Array<ExportedDay>>
    exportedOf: (roundIds: Array<number>) => Promise<Array<number>>
    facts: () => Promise<ExportFacts>
  }
  Health: {
    facts: () => Promise<Facts>
    stuck: () => Promise<Array<StuckObject>>
    noteStuck: (report: StuckReport) => Promise<void>
    noteConfiguration: (problems: number) => Promise<void>
  }
  Ledger: {
    me: (now: RoundNow, isCaughtUp?: boolean) => Promise<Me>
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
    bookedLines: (range: DaybookRange) => Promise<DaybookLines | Refusal>
    endedBet: (roundId: number, isOver?: boolean) => Promise<EndedBet | Refusal | null>
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
    transact: (transaction: PartnerTransaction) => Promise<(TransferResult) & ({
      entry: TakenRef
    }) | Refusal>
    permissions: (partners: Array<string>) => Promise<Array<Permission>>
    grant: (grant: Grant) => Promise<Permission | Refusal>
    revoke: (partner: string, token: "ETH" | "USDG") => Promise<Permission | Refusal>
    rollback: (rollback: Rollback) => Promise<(TransferResult) & ({
      entry: TakenRef
    }) | Refusal>
    statement: (query: StatementQuery) => Promise<Refusal | StatementPage>
    withdrawalProgress: (vaultId: string, nonce: number, update: WithdrawalProgress) => Promise<void>
    resolveWithdrawal: (...act: [string, number, "confirmed" | "failed", string]) => Promise<Refusal | null>
    takeVaultTransaction: (transaction: VaultTransaction) => Promise<boolean>
    limits: () => Promise<Refusal | ShownProtection>
    changeLimits: (change: ProtectionChange) => Promise<Refusal | ShownProtection>
    isExcluded: () => Promise<boolean>
    writeOff: (actId: string) => Promise<number>
    writtenOff: (actId: string) => Promise<null | string>
    setFrozen: (act: FreezeAct) => Promise<FreezeOutcome>
    faucet: (id: string, token: "ETH" | "USDG", amountWei: bigint) => Promise<Me | Refusal>
    verify: () => Promise<Audit>
    verifySegment: (segment: number) => Promise<SegmentAudit>
    journal: (after: number) => Promise<Array<JournalEntry> | Refusal>
    standing: (...query: [number, (ReadonlyArray<string> | undefined)?, (EntryId | null | undefined)?]) => Promise<OwnStanding>
    prepareReturn: (unixMs: number) => Promise<PreparedReturn | Refusal>
    restart: () => Promise<void>
    markLost: (actId: string, transfers: ReadonlyArray<LostTransfer>) => Promise<void>
    goOn: (request: RecoveryRequest) => Promise<Refusal | RestorationResult>
    sweep: () => Promise<void>
    sendPosition: () => Promise<void>
    position: (listed?: number) => Promise<Position | null>
    sendPlays: () => Promise<void>
  }
  LootboxDay: {
    commitment: () => Promise<(DayCommitment) & (DayOffers)>
    offerFor: (paid: ReceivedPayment) => Promise<Offer>
    roll: (message: string) => Promise<(DayCommitment) & ({
      roll: string
    })>
    takeSpin: (claim: SpinClaim) => Promise<"author" | "day" | "post" | "wallet" | TakenSpin | null>
    hasSpun: (wallet: string) => Promise<boolean>
    spinsTaken: () => Promise<number>
    disclosure: () => Promise<DayDisclosure | null>
  }
  PartnerIds: {
    claim: (use: TokenUse | null, claim: IdClaim | null) => Promise<Refusal | null>
    original: (id: string) => Promise<IdClaim | null>
    addPlayer: (wallet: string) => Promise<void>
    players: (after: null | string, limit: number) => Promise<Array<string>>
    claimsOf: (wallet: string, after: string, limit: number) => Promise<Array<IdClaim>>
    facts: () => Promise<{
      databaseBytes: number
    }>
  }
  PartnerLimit: {
    reserve: (request: CreditRequest) => Promise<Granted>
    release: (id: string) => Promise<void>
    debited: (report: DebitReport) => Promise<void>
    today: () => Promise<({
      ETH: {
        creditedWei: string
        debitedWei: string
        netWei: string
      }
      USDG: {
        creditedWei: string
        debitedWei: string
        netWei: string
      }
    }) & ({
      newPlayers: number
    })>
    totals: () => Promise<{
      ETH: CreditTotals
      USDG: CreditTotals
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
    rent: (request: RentalRequest, tier: AdTier | null, recipient: string) => Promise<Pending | Refusal | {
      ok: true
      rental: Rental
    }>
    prizeProgress: (update: PrizeUpdate) => Promise<void>
    sendToHistory: () => Promise<void>
  }
  Relayer: {
    pay: (order: WithdrawalOrder) => Promise<void>
    payPrize: (order: PrizeOrder) => Promise<void>
    prizes: (after: null | string, limit: number) => Promise<Array<{
      id: string
      opening: string
    }>>
    record: (order: ResultOrder) => Promise<void>
    closePayout: (order: WithdrawalOrder, outcome: "confirmed" | "failed", actId: string) => Promise<Refusal | {
      paid: VaultPayout | null
    }>
    takeModes: (changes: ReadonlyArray<ModesChange>) => Promise<void>
    walletsInProgress: () => Promise<Array<string>>
    withdrawalsOf: (wallet: string) => Promise<Array<KnownWithdrawal>>
    unpaid: () => Promise<UnpaidOrders>
    conditions: (vaultId: string) => Promise<SeenConditions | null>
    gasSpent: (from: number, to: number) => Promise<bigint>
    facts: () => Promise<RelayerFacts>
    sweep: () => Promise<void>
  }
  Reprojection: {
    start: (scope: Scope, orderedAt?: null | number) => Promise<Progress>
    progress: () => Promise<Progress>
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
    append: (entry: LogEntry) => Promise<LoggedEntry>
    find: (kind: LogKind, id: string) => Promise<LoggedEntry | null>
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
    recentPlayers: (__0?: {
      onlyTrust?: boolean
    }) => Promise<Array<string> | Refusal>
    areAllSent: () => Promise<boolean>
    beat: () => Promise<void>
    count: (__0?: {
      mayPause?: boolean
    }) => Promise<HouseCount | Refusal>
  }
  VaultWatch: {
    catchUp: (account?: string) => Promise<boolean>
    undelivered: () => Promise<Array<string> | null>
    look: (account?: string) => Promise<boolean>
    nonceUse: (player: `0x${string}`, nonce: number, ifCurrent?: boolean) => Promise<NonceUse | null>
    players: (after: null | string, limit: number) => Promise<Array<string>>
    standing: (inProgress: Array<string>, others?: Array<string>) => Promise<VaultSums>
    tellAgain: (account: string) => Promise<void>
    missing: (after?: MissingSince) => Promise<Array<MissingSince>>
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

type ControlFacts = {
  closedWallets: number
  databaseBytes: number
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

type ActRecord = {
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
    waiting: Array<ActRecord>
    decided: Array<ActRecord>
  }
}

type Act = {
  act: "confirm-withdrawal" | "freeze" | "mode" | "release-withdrawal" | "reproject" | "restore" | "terms" | "unfreeze" | "write-off"
  target: string
  reason: string
  expiresAt: number
}

type OperatorJournalEntry = {
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
  decidedTokens: Array<"ETH" | "USDG">
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
  decidedTokens: Array<"ETH" | "USDG">
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
  betId: string
  me: Me
}

type TakenPlace = {
  terms: string
  seq: number
  hash: string
  at: number
}

type EntryRef = {
  owed: {
    ETH: string
    USDG: string
  }
  seq: number
  hash: string
  at: number
}

type TakenRef = (TakenPlace) & (EntryRef)

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
  decidedTokens: Array<"ETH" | "USDG">
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

type NewestRoundFacts = {
  kind: "settled" | "voided"
  endedAt: number
  resultsUntil: number
  beacon: null | number
}

type DaybookLine = {
  asset: string
  debit: string
  credit: string
  amountWei: bigint
}

type DayBooks = {
  lines: Array<DaybookLine>
  day: string
  countedAt: number
  isClosed: boolean
  wallets: number
  entries: number
  problems: Array<string>
}

type PartnerTotals = {
  wagered: bigint
  returned: bigint
}

type BooksFacts = {
  nextDay: null | string
  newestDay: null | string
  databaseBytes: number
}

type ExportedDay = {
  day: string
  manifest: string
  sha256: string
}

type ExportFacts = {
  nextDay: null | string
  newestDay: null | string
  databaseBytes: number
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
  newest: NewestRoundFacts | null
  current: OpenRound | null
  databaseBytes: number
}

type ChainFacts = {
  checkedAt: null | number
  block: null | number
  blockAt: null | number
  untold: number
  databaseBytes: number
}

type Backlog = {
  count: number
  oldestAt: null | number
}

type NextRelayer = {
  address: string
  from: number
  until: number
}

type SeenConditions = {
  gasPriceWei: string
  marketPriceWei: string
  isPaused: boolean
  nextRelayer: NextRelayer | null
  balanceWei: string
  poolWei: null | {
    ETH: string
    REWARD: string
  }
  at: number
}

type RelayerFacts = {
  withdrawals: Backlog
  prizes: Backlog
  unmined: number
  nextNonce: number
  seen: SeenConditions | null
  reserveWei: string
  databaseBytes: number
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
  firstCountedAt: null | number
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
  databaseBytes: number
}

type LogFacts = {
  size: number
  archived: number
  isForked: boolean
  failingSince: null | number
  databaseBytes: number
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

type PartnerFacts = ({
  ETH: {
    creditedWei: string
    debitedWei: string
    limitWei: string
    debtWei?: string
    maxDebtWei?: string
  }
  USDG: {
    creditedWei: string
    debitedWei: string
    limitWei: string
    debtWei?: string
    maxDebtWei?: string
  }
}) & ({
  newPlayers: number
  newPlayersPerDay: number
  idsBytes: null | number
})

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
  control: "off" | "silent" | ControlFacts
  books: "off" | "silent" | BooksFacts
  solvency: "off" | "silent" | SolvencyFacts
  lootbox: "off" | "silent" | LootboxFacts
  partners: {
    [key: string]: "off" | "silent" | PartnerFacts
  }
  stuck: StuckFacts
  configurationProblems: null | number
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
  decidedTokens: Array<"ETH" | "USDG">
}

type BetParams = {
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
  params: BetParams
  open: boolean
  isWaiting: boolean
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

type DaybookRange = {
  from: number
  to: number
  after: number
}

type DaybookLines = {
  lines: Array<DaybookLine>
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
      debited: string
      deposited: string
      returned: string
      wagered: string
      withdrawn: string
    }) & ({
      bets: number
    })
    USDG: ({
      debited: string
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
      debited: string
      deposited: string
      returned: string
      wagered: string
      withdrawn: string
    }
    USDG: {
      bets: string
      debited: string
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
  min: bigint
  max: bigint
  edgeBps: number
  tables: number
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
  mines: number
  maxPicks: null | number
  min: bigint
  max: bigint
  edgeBps: number
  tables: number
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

type DebitLimits = {
  isOpen: boolean
  needsPermission: boolean
  hourWei: bigint
}

type CreditLimits = {
  transactionWei: bigint
  dayWei: bigint
  totalWei: bigint | null
  newPlayers: number
}

type PartnerTransaction = {
  amountWei: bigint
  debits: DebitLimits
  modes: KnownModes
  partner: string
  id: string
  token: "ETH" | "USDG"
  limits: CreditLimits
  terms: string
}

type TransferResult = {
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
  debits: DebitLimits
  modes: KnownModes
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
  transferred: TransferResult
  originalId: null | string
  at: number
  cursor: number
}

type StatementPage = {
  entries: Array<StatementEntry>
  next: null | number
}

type WithdrawalProgress = {
  status: WithdrawalStatus
  txHash: null | string
  version: number
  nextNonce?: number
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
  dropped?: Array<VaultMovement>
}

type LimitValue = {
  amountWei: null | string
  minutes: null | number
}

type Limit = {
  from: number
  pending: (LimitValue) & ({
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

type LimitScope = {
  kind: "deposit" | "loss" | "session" | "wager"
  window: "day" | "month" | "week"
  token: "ETH" | "USDG" | null
}

type Protection = {
  limits: ReadonlyArray<Limit>
  excludedUntil: number
  isExcludedUntilAsked: boolean
  realityCheckMinutes: null | number
}

type ProtectionChange = {
  action: "confirm" | "remove"
  counted: LimitScope
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
  counted: LimitScope
  most: LimitValue
} | {
  action: "take-over"
  known: Protection
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

type JournalEntry = {
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

type EntryId = {
  seq: number
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

type StoredPermission = {
  partner: string
  token: "ETH" | "USDG"
  nonce: number
  maxPerDayWei: null | string
  expiresAt: null | number
}

type Safeguards = {
  protection: Protection | null
  permissions: Array<StoredPermission>
}

type OwnStanding = {
  balances: Balances
  at: number
  writtenOffWei: {
    ETH: bigint
    USDG: bigint
  }
  seqThen: number
  unused: Array<string>
  safeguards: Safeguards | null
  has: boolean | null
  seq: number
  hash: string
}

type PreparedReturn = {
  undo: string
  safeguards: Safeguards | null
}

type LostTransfer = {
  partner: string
  id: string
  request: string
}

type LastKnownState = {
  seq: number
  hash: null | string
  balances: Balances
  writtenOffWei: null | {
    ETH: bigint
    USDG: bigint
  }
}

type WithdrawalOrder = {
  kind: "withdrawal"
  vaultId: string
  player: string
  token: "ETH" | "USDG"
  amountWei: string
  nonce: number
  signature: string
  isSmall: boolean
}

type KnownWithdrawal = {
  order: WithdrawalOrder
  outcome: "confirmed" | "failed" | null
  txHash: null | string
  version: number
  closedBy: null | string
}

type RecoveryRequest = {
  actId: string
  known: LastKnownState
  kept: EntryId
  withdrawals: Array<KnownWithdrawal>
  writeOffs: Array<string>
  writtenOff: {
    [key: string]: string
  }
  safeguards: Array<Safeguards>
}

type RestorationResult = {
  kept: EntryId
  known: {
    seq: number
    hash: null | string
  }
  goesOn: EntryId
  borneWei: {
    ETH: string
    USDG: string
  }
}

type Totals = {
  ETH: {
    bets: bigint
    debited: bigint
    deposited: bigint
    returned: bigint
    wagered: bigint
    withdrawn: bigint
  }
  USDG: {
    bets: bigint
    debited: bigint
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
  safeguards: Safeguards | null
}

type DayCommitment = {
  day: string
  seedHash: string
  pepperHash: string
  committedAt: number
}

type PrizeTier = {
  bps: number
  label: string
  asset: string
  amountWei: string
}

type Offer = {
  pool: string
  price: string
  prizes: ReadonlyArray<PrizeTier>
}

type DayOffers = {
  offer: Offer
  spinPrizes: ReadonlyArray<PrizeTier>
  spinDailyLimit: number
  spinsTaken: number
}

type ReceivedPayment = {
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
  prizes: ReadonlyArray<PrizeTier>
  pool: string
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
  totalLimitWei: bigint | null
  debitedBeforeWei: bigint
  newPlayers: null | number
  wallet: string
  token: "ETH" | "USDG"
  day: number
  debitedWei: bigint
}

type Granted = {
  isGranted: boolean
  leftWei: bigint
  hasTooManyNew?: boolean
}

type DebitReport = {
  wallet: string
  token: "ETH" | "USDG"
  day: number
  debitedWei: bigint
}

type CreditTotals = {
  creditedWei: bigint
  debitedWei: bigint
}

type Pending = {
  ok: true
  status: "pending"
  confirmations: number
  required: number
}

type RentalRequest = {
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

type PrizeUpdate = {
  isPaid: boolean
  txHash: null | string
  version: number
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

type VaultPayout = {
  token: "ETH" | "USDG"
  amountWei: string
}

type UnpaidOrder = {
  id: string
  order: PrizeOrder | WithdrawalOrder
  step: "burn" | "prize" | "record" | "withdraw"
  state: "queued" | "sent"
  orderedAt: number
  cause: "earlier_withdrawal_missing" | "nonce_paid_otherwise" | "nonce_use_unknown" | "payout_failed" | "payout_vault_not_configured" | "prize_not_payable" | "relayer_needs_funding" | "result_refused" | "vault_relayer_differs" | "withdrawal_not_payable" | null
  isResting: boolean
}

type UnpaidOrders = {
  areWithdrawalsClosed: boolean
  orders: Array<UnpaidOrder>
}

type Scope = "everything" | "positions"

type Progress = {
  scope: "everything" | "positions" | null
  stage: "depositors" | "listed" | "openings" | "partners" | "rounds" | null
  asked: number
  waiting: number
  startedAt: null | number
  finishedAt: null | number
  positions: null | {
    startedAt: number
    finishedAt: null | number
  }
}

type AwaitedSpin = {
  ok: true
  status: "pending"
  acceptedAt: number
  pepperSource: PepperSource
  expectedAt: number
}

type CountedVault = {
  chainId: number
  address: string
  usdg: string
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
  contract: CountedVault
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

type LoggedEntry = {
  index: number
  entry: LogEntry
}

type Tile = {
  level: "entries" | number
  index: number
  width: number
}

type StoredDrift = {
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

type TokenReconciliation = {
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
  drifts: Array<StoredDrift>
  ended: Array<StoredDrift>
  drifting: Array<Drifting>
  at: number
  block: number
  blockHash: string
  books: {
    ETH: TokenReconciliation
    USDG: TokenReconciliation
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
  isSettled: boolean
  nextNonce: number
}

type VaultEventKind = "burned" | "deposited" | "funded" | "house-withdrawn" | "withdrawn"

type FreshEvent = {
  token: "ETH" | "USDG"
  isRecent: boolean
  kind: VaultEventKind
  amountWei: bigint
  nonce: null | number
  seenAt: number
  toldAt: null | number
  isRepeated: boolean
}

type AccountEvents = {
  wallet: string
  net: {
    ETH: bigint
    USDG: bigint
  }
  fresh: Array<FreshEvent>
}

type VaultSums = {
  isCurrent: boolean
  block: number
  blockHash: null | string
  settledPlayers: number
  net: {
    ETH: bigint
    USDG: bigint
  }
  recent: Array<AccountEvents>
  others: Array<AccountEvents>
}

type MissingSince = {
  account: string
  since: number
}
