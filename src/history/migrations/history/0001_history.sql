-- What only informs: ended rounds, their bets, openings, and the feed of plays.

CREATE TABLE crash_rounds (
  round_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('settled', 'voided')),
  crash_hundredths INTEGER,
  bet_count INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  result TEXT NOT NULL,
  -- Null for a round without bets.
  plan TEXT,
  bets_root TEXT
) STRICT;
-- Voided rounds are few, and operators list them.
CREATE INDEX crash_rounds_voided ON crash_rounds (round_id) WHERE kind = 'voided';

CREATE TABLE crash_bets (
  round_id INTEGER NOT NULL,
  wallet TEXT NOT NULL,
  n INTEGER NOT NULL,
  bet_id TEXT NOT NULL,
  token TEXT NOT NULL,
  amount_wei TEXT NOT NULL,
  auto_cashout_hundredths INTEGER,
  placed_at INTEGER NOT NULL,
  cashout_hundredths INTEGER,
  cashed_out_at INTEGER,
  payout_wei TEXT NOT NULL,
  PRIMARY KEY (round_id, wallet)
) STRICT, WITHOUT ROWID;

CREATE TABLE openings (
  id TEXT PRIMARY KEY,
  wallet TEXT NOT NULL,
  tx_hash TEXT,
  tier INTEGER NOT NULL,
  label TEXT NOT NULL,
  prize TEXT NOT NULL,
  asset TEXT NOT NULL,
  is_paid INTEGER NOT NULL,
  prize_tx_hash TEXT,
  opened_at INTEGER NOT NULL,
  -- All of it, as JSON.
  opening TEXT NOT NULL,
  is_exported INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX openings_unexported ON openings (id) WHERE is_exported = 0;
CREATE INDEX openings_newest ON openings (opened_at);
CREATE INDEX openings_of_wallet ON openings (wallet, opened_at);

-- The feed of all wallets. Its key has the order of every read, so a play is one row and no index.
CREATE TABLE recent_plays (
  game TEXT NOT NULL,
  settled_at INTEGER NOT NULL,
  wallet TEXT NOT NULL,
  nonce INTEGER NOT NULL,
  play TEXT NOT NULL,
  PRIMARY KEY (game, settled_at, wallet, nonce)
) STRICT, WITHOUT ROWID;
