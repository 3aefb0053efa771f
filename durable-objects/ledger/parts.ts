import { Archive } from './archive.ts'
import { Bets } from './bets.ts'
import { Debits } from './debits.ts'
import { Feeds } from './feeds.ts'
import { Gate } from './gate.ts'
import type { LedgerKernel } from './kernel.ts'
import { Limits } from './limits.ts'
import { Mines } from './mines.ts'
import { Permissions } from './permissions.ts'
import { Plays } from './plays.ts'
import { Quarantine } from './quarantine.ts'
import { Recovery } from './recovery.ts'
import { Refill } from './refill.ts'
import { Resolutions } from './resolutions.ts'
import { Transfers } from './transfers.ts'
import { VaultTransactions } from './vault-transactions.ts'
import { Withdrawals } from './withdrawals.ts'

/** Makes a ledger's parts, gives each the others that it needs, and has the kernel load them. */
export function assembleParts(kernel: LedgerKernel) {
  const limits = new Limits(kernel)
  const gate = new Gate(kernel, { limits })
  const plays = new Plays(kernel, { gate, limits })
  const mines = new Mines(kernel, { plays, gate, limits })
  const bets = new Bets(kernel, { gate, limits })
  const vaultTransactions = new VaultTransactions(kernel, { limits })
  const quarantine = new Quarantine(kernel)
  const withdrawals = new Withdrawals(kernel, { gate, vaultTransactions, quarantine })
  const debits = new Debits(kernel)
  const permissions = new Permissions(kernel, { debits })
  const refill = new Refill(kernel, { bets, mines, vaultTransactions })
  const guards = { gate, limits }
  const transfers = new Transfers(kernel, {
    vaultTransactions,
    permissions,
    debits,
    refill,
    ...guards,
  })
  const archive = new Archive(kernel, { bets, plays })
  const owned = { bets, vaultTransactions, plays, archive, withdrawals, permissions, ...guards }
  const resolutions = new Resolutions(kernel, owned)
  const feeds = new Feeds(kernel, owned)
  const recovery = new Recovery(kernel, { ...owned, mines, transfers })

  const { journal, outbox } = kernel
  kernel.assemble([
    plays,
    journal.segments,
    journal.terms,
    journal.ids,
    journal,
    outbox,
    bets,
    mines,
    vaultTransactions,
    withdrawals,
    transfers,
    debits,
    permissions,
    limits,
    gate,
    quarantine,
    feeds,
    archive,
  ])
  return { ...owned, mines, refill, transfers, resolutions, feeds, recovery }
}
