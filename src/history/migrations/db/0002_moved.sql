-- Whether chips have ever moved, so that the count of debts leaves out wallets that have only set limits.
ALTER TABLE ledger_positions ADD COLUMN has_moved INTEGER NOT NULL DEFAULT 1;
