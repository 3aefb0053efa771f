CREATE TABLE entropy_plays (
  wallet TEXT NOT NULL,
  nonce INTEGER NOT NULL,
  game TEXT NOT NULL,
  settled_at INTEGER NOT NULL,
  play TEXT NOT NULL,
  PRIMARY KEY (wallet, nonce)
) STRICT, WITHOUT ROWID;

CREATE INDEX entropy_plays_newest ON entropy_plays (settled_at);
CREATE INDEX entropy_plays_newest_of_game ON entropy_plays (game, settled_at);
CREATE INDEX entropy_plays_newest_of_wallet_and_game ON entropy_plays (wallet, game, settled_at);
