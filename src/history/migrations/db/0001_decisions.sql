-- What decides: the totals behind the bankroll, and who has rented which day.

-- A ledger's latest balances, with the hash of its latest entry. Amounts to be summed are two integers
-- (high * 10^12 + low), because SQLite adds 64 bits. `has_deposited` stays 1 from the wallet's first deposit on;
-- `deposited` and `withdrawn` are the cumulative amounts as decimal text. `next_nonce` is the nonce of the next
-- withdrawal, and `open_withdrawals` is how many of those before it have not ended. `safeguards` is what a player has
-- set for their protection, as JSON, because a ledger that goes back in time loses it: only in the row of the first
-- token, and null for most players.
CREATE TABLE ledger_positions (
  wallet TEXT NOT NULL,
  token TEXT NOT NULL,
  version INTEGER NOT NULL,
  head_hash TEXT NOT NULL,
  accounts TEXT NOT NULL,
  unresolved INTEGER NOT NULL,
  has_deposited INTEGER NOT NULL,
  deposited TEXT NOT NULL,
  withdrawn TEXT NOT NULL,
  next_nonce INTEGER NOT NULL,
  open_withdrawals INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  owed_high INTEGER NOT NULL,
  owed_low INTEGER NOT NULL,
  house_high INTEGER NOT NULL,
  house_low INTEGER NOT NULL,
  vault_high INTEGER NOT NULL,
  vault_low INTEGER NOT NULL,
  partner_high INTEGER NOT NULL,
  partner_low INTEGER NOT NULL,
  faucet_high INTEGER NOT NULL,
  faucet_low INTEGER NOT NULL,
  safeguards TEXT,
  PRIMARY KEY (wallet, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_positions_unresolved ON ledger_positions (updated_at) WHERE unresolved = 1;

-- Written each minute by the object that keeps the same number: a lower one here means a restored database.
CREATE TABLE heartbeat (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  beat INTEGER NOT NULL
) STRICT;

-- The database decides who was first: a day has one rental, a payment pays for one.
CREATE TABLE rentals (
  id TEXT PRIMARY KEY,
  payment TEXT NOT NULL UNIQUE,
  request TEXT NOT NULL,
  wallet TEXT NOT NULL,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  label TEXT NOT NULL,
  title TEXT NOT NULL,
  image_url TEXT NOT NULL,
  link_url TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX rentals_end ON rentals (ends_at);

CREATE TABLE rented_days (
  day TEXT PRIMARY KEY,
  rental_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
