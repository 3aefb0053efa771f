-- What a player has set for their protection, as JSON: a ledger that goes back in time loses it. Only in the row of the first
-- token, and null for most players.
ALTER TABLE ledger_positions ADD COLUMN safeguards TEXT;
