-- Amounts as two integers (high * 10^12 + low): SQLite adds 64 bits.
ALTER TABLE ledger_positions ADD COLUMN owed_high INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger_positions ADD COLUMN owed_low INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger_positions ADD COLUMN house_high INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger_positions ADD COLUMN house_low INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger_positions ADD COLUMN vault_high INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger_positions ADD COLUMN vault_low INTEGER NOT NULL DEFAULT 0;

CREATE TABLE bankroll (
  vault TEXT NOT NULL,
  token TEXT NOT NULL,
  amount_wei TEXT NOT NULL,
  counted_at INTEGER NOT NULL,
  PRIMARY KEY (vault, token)
) STRICT, WITHOUT ROWID;
