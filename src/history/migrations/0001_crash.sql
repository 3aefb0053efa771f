CREATE TABLE crash_rounds (
  round_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('settled', 'voided')),
  crash_hundredths INTEGER,
  bet_count INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  result TEXT NOT NULL
) STRICT;

CREATE TABLE crash_bets (
  round_id INTEGER NOT NULL,
  wallet TEXT NOT NULL,
  token TEXT NOT NULL,
  amount_wei TEXT NOT NULL,
  auto_cashout_hundredths INTEGER,
  placed_at INTEGER NOT NULL,
  cashout_hundredths INTEGER,
  cashed_out_at INTEGER,
  payout_wei TEXT NOT NULL,
  PRIMARY KEY (round_id, wallet)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger_positions (
  wallet TEXT NOT NULL,
  token TEXT NOT NULL,
  version INTEGER NOT NULL,
  accounts TEXT NOT NULL,
  unresolved INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (wallet, token)
) STRICT, WITHOUT ROWID;

CREATE INDEX ledger_positions_unresolved ON ledger_positions (updated_at) WHERE unresolved = 1;
