-- What partners have debited beyond their credits; below zero the other way round.
ALTER TABLE ledger_positions ADD COLUMN partner_high INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger_positions ADD COLUMN partner_low INTEGER NOT NULL DEFAULT 0;
