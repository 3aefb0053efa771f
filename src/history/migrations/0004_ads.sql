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
