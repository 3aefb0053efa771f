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
  opened_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX openings_newest ON openings (opened_at);
CREATE INDEX openings_of_wallet ON openings (wallet, opened_at);
