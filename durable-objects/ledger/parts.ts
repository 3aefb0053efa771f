import { Archive } from './archive.ts'
import { Bets } from './bets.ts'
import type { Books } from './books.ts'
import { Debits } from './debits.ts'
import { Feeds } from './feeds.ts'
import { Gate } from './gate.ts'
import { Limits } from './limits.ts'
import { Mines } from './mines.ts'
import { Movements } from './movements.ts'
import { Permissions } from './permissions.ts'
import { Plays } from './plays.ts'
import { Quarantine } from './quarantine.ts'
import { Recovery } from './recovery.ts'
import { Refill } from './refill.ts'
import { Resolutions } from './resolutions.ts'
import { Transfers } from './transfers.ts'
import { Withdrawals } from './withdrawals.ts'

/** Makes a ledger's parts, gives each the others that it needs, and has the books load them. */
export function assembleParts(books: Books) {
  const limits = new Limits(books)
  const gate = new Gate(books, { limits })
  const plays = new Plays(books, { gate, limits })
  const mines = new Mines(books, { plays, gate, limits })
  const bets = new Bets(books, { gate, limits })
  const movements = new Movements(books, { limits })
  const quarantine = new Quarantine(books)
  const withdrawals = new Withdrawals(books, { gate, movements, quarantine })
  const debits = new Debits(books)
  const permissions = new Permissions(books, { debits })
  const refill = new Refill(books, { bets, mines, movements })
  const guards = { gate, limits }
  const transfers = new Transfers(books, { movements, permissions, debits, refill, ...guards })
  const archive = new Archive(books, { bets, plays })
  const owned = { bets, movements, plays, archive, withdrawals, permissions, ...guards }
  const resolutions = new Resolutions(books, owned)
  const feeds = new Feeds(books, owned)
  const recovery = new Recovery(books, { ...owned, transfers })

  const { operations, outbox } = books
  // Their migrations and loading follow this order, which stored ledgers rely on.
  books.assemble([
    plays,
    operations.segments,
    operations.terms,
    operations,
    outbox,
    bets,
    mines,
    movements,
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
