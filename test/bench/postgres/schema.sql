-- The database of the service that ours is compared with: one function a call, with the same checks and record.

CREATE EXTENSION pgcrypto;

-- Tokens are numbered: 1 is ETH, 2 is USDG.
CREATE TABLE wallets (
  wallet text PRIMARY KEY,
  chips numeric[] NOT NULL,
  in_play numeric[] NOT NULL DEFAULT '{0,0}',
  nonce integer NOT NULL DEFAULT 0,
  seed text NOT NULL,
  seq integer NOT NULL DEFAULT 0,
  hash bytea NOT NULL DEFAULT '',
  CHECK (chips[1] >= 0 AND chips[2] >= 0)
);

CREATE TABLE journal (
  wallet text NOT NULL,
  seq integer NOT NULL,
  operation_id text NOT NULL,
  request text NOT NULL,
  postings text NOT NULL,
  result text NOT NULL,
  at bigint NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (wallet, seq),
  UNIQUE (wallet, operation_id)
);

CREATE TABLE rounds (round_id integer PRIMARY KEY, bets_close_at bigint NOT NULL);

-- A round's limit, in equal shares by wallet: with one row, each bet would wait for the commit of the one before.
CREATE TABLE stakes (
  round_id integer NOT NULL,
  token integer NOT NULL,
  share integer NOT NULL,
  staked numeric NOT NULL DEFAULT 0,
  PRIMARY KEY (round_id, token, share)
);

CREATE TABLE bets (
  round_id integer NOT NULL,
  wallet text NOT NULL,
  token text NOT NULL,
  amount numeric NOT NULL,
  auto_cashout numeric,
  placed_at bigint NOT NULL,
  PRIMARY KEY (round_id, wallet)
);

CREATE TYPE answer AS (status integer, body text);

CREATE FUNCTION unix_ms() RETURNS bigint LANGUAGE sql
  RETURN (extract(epoch FROM clock_timestamp()) * 1000)::bigint;

CREATE FUNCTION refusal(status integer, code text) RETURNS answer LANGUAGE sql IMMUTABLE
  RETURN ROW(status, json_build_object('error', json_build_object('code', code))::text)::answer;

CREATE FUNCTION chips_of(w wallets) RETURNS json LANGUAGE sql IMMUTABLE
  RETURN json_build_object('ETH', w.chips[1]::text, 'USDG', w.chips[2]::text);

CREATE FUNCTION me(w wallets, in_round integer) RETURNS json LANGUAGE sql STABLE
  RETURN json_build_object('chips', chips_of(w), 'nonce', 0, 'openBet', (
    SELECT json_build_object('roundId', round_id, 'token', token, 'amountWei', amount::text,
      'autoCashout', auto_cashout, 'placedAt', placed_at)
    FROM bets WHERE round_id = in_round AND wallet = w.wallet));

-- Appends an entry, linked to the one before, and stores the wallet as it is after it.
CREATE FUNCTION record(w wallets, id text, request text, postings json, result text, at bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  entry_hash bytea := sha256(w.hash || convert_to(
    json_build_array(w.seq + 1, id, request, postings, result, at, w.nonce, w.seed, w.chips, w.in_play)::text, 'UTF8'));
BEGIN
  INSERT INTO journal (wallet, seq, operation_id, request, postings, result, at, hash)
  VALUES (w.wallet, w.seq + 1, id, request, postings, result, at, entry_hash);
  UPDATE wallets SET chips = w.chips, in_play = w.in_play, nonce = w.nonce, seed = w.seed,
    seq = w.seq + 1, hash = entry_hash WHERE wallet = w.wallet;
END $$;

CREATE FUNCTION fund(of_wallet text, token integer, amount numeric, first_seed text)
RETURNS answer LANGUAGE plpgsql AS $$
DECLARE w wallets;
BEGIN
  INSERT INTO wallets (wallet, chips, seed) VALUES (of_wallet, '{0,0}', first_seed) ON CONFLICT DO NOTHING;
  SELECT * INTO w FROM wallets WHERE wallet = of_wallet FOR UPDATE;
  w.chips[token] := w.chips[token] + amount;
  PERFORM record(w, 'faucet:' || w.seq, '', json_build_array(token, 'faucet', 'chips', amount::text), '', unix_ms());
  RETURN ROW(200, me(w, 0)::text)::answer;
END $$;

CREATE FUNCTION state_of(of_wallet text, in_round integer) RETURNS SETOF answer LANGUAGE sql STABLE AS
  $$ SELECT 200, json_build_object('me', me(w, in_round))::text FROM wallets w WHERE wallet = of_wallet $$;

CREATE FUNCTION place_bet(of_wallet text, in_round integer, request text, token integer, token_name text,
  stake numeric, cashout numeric, lowest numeric, highest numeric, round_limit numeric)
RETURNS answer LANGUAGE plpgsql AS $$
DECLARE
  w wallets;
  known text;
  now_ms bigint := unix_ms();
  shares CONSTANT integer := 16;
BEGIN
  SELECT * INTO w FROM wallets WHERE wallet = of_wallet FOR UPDATE;
  IF NOT FOUND THEN RETURN refusal(422, 'insufficient_chips'); END IF;
  SELECT j.request INTO known FROM journal j WHERE wallet = of_wallet AND operation_id = 'bet:' || in_round;
  IF known <> request THEN RETURN refusal(409, 'bet_exists'); END IF;
  IF known IS NULL THEN
    IF NOT EXISTS (SELECT FROM rounds WHERE round_id = in_round AND now_ms < bets_close_at) THEN RETURN refusal(409, 'betting_closed'); END IF;
    IF stake NOT BETWEEN lowest AND highest THEN RETURN refusal(422, 'amount_out_of_bounds'); END IF;
    IF stake > w.chips[token] THEN RETURN refusal(422, 'insufficient_chips'); END IF;
    UPDATE stakes s SET staked = staked + stake
    WHERE s.round_id = in_round AND s.token = place_bet.token AND s.share = hashtext(of_wallet) & (shares - 1)
      AND staked + stake <= round_limit / shares;
    IF NOT FOUND THEN RETURN refusal(422, 'payout_limit'); END IF;
    INSERT INTO bets (round_id, wallet, token, amount, auto_cashout, placed_at)
    VALUES (in_round, of_wallet, token_name, stake, cashout, now_ms);
    w.chips[token] := w.chips[token] - stake;
    w.in_play[token] := w.in_play[token] + stake;
    PERFORM record(w, 'bet:' || in_round, request, json_build_array(token, 'chips', 'in_play', stake::text), 'held', now_ms);
  END IF;
  RETURN ROW(200, json_build_object('ok', true, 'roundId', in_round, 'me', me(w, in_round))::text)::answer;
END $$;

-- Settles a play of limbo by the rule of src/games/limbo/rule.ts.
CREATE FUNCTION play(of_wallet text, number integer, request text, token integer, token_name text, stake numeric,
  target numeric, client_seed text, next_seed text, lowest numeric, highest numeric, max_payout numeric, edge_bps numeric)
RETURNS answer LANGUAGE plpgsql AS $$
DECLARE
  w wallets;
  known journal;
  now_ms bigint := unix_ms();
  drawn numeric;
  payout numeric;
  result text;
BEGIN
  SELECT * INTO w FROM wallets WHERE wallet = of_wallet FOR UPDATE;
  IF NOT FOUND THEN RETURN refusal(422, 'insufficient_chips'); END IF;
  IF number < w.nonce THEN
    SELECT * INTO known FROM journal WHERE wallet = of_wallet AND operation_id = 'play:' || number;
    IF known.request <> request THEN RETURN refusal(409, 'idempotency_conflict'); END IF;
    result := known.result;
  ELSE
    IF number > w.nonce THEN RETURN refusal(409, 'nonce_mismatch'); END IF;
    IF stake NOT BETWEEN lowest AND highest THEN RETURN refusal(422, 'amount_out_of_bounds'); END IF;
    IF div(stake * target, 100) > max_payout THEN RETURN refusal(422, 'payout_limit'); END IF;
    IF stake > w.chips[token] THEN RETURN refusal(422, 'insufficient_chips'); END IF;
    drawn := ('x' || left(encode(hmac(client_seed || ':' || number || ':0', w.seed, 'sha256'), 'hex'), 13))::bit(52)::bigint;
    drawn := least(greatest(div((10000 - edge_bps) * 4503599627370496, (drawn + 1) * 100), 100), 100000000);
    payout := CASE WHEN drawn >= target THEN div(stake * target, 100) ELSE 0 END;
    result := json_build_object('ok', true, 'game', 'limbo', 'token', token_name, 'amount', stake::text,
      'multiplier', CASE WHEN payout > 0 THEN trim_scale(target / 100) ELSE 0 END, 'payout', payout::text, 'win', payout > 0,
      'seedHash', encode(sha256(decode(w.seed, 'hex')), 'hex'), 'seed', w.seed, 'clientSeed', client_seed,
      'nonce', number, 'meta', json_build_object('result', trim_scale(drawn / 100), 'target', trim_scale(target / 100)), 'edgeBps', edge_bps,
      'tables', 1, 'nextSeedHash', encode(sha256(decode(next_seed, 'hex')), 'hex'), 'settledAt', now_ms)::text;
    w.chips[token] := w.chips[token] - stake + payout;
    w.nonce := number + 1;
    w.seed := next_seed;
    PERFORM record(w, 'play:' || number, request, json_build_array(json_build_array(token, 'chips', 'house', stake::text),
      json_build_array(token, 'house', 'chips', payout::text)), result, now_ms);
  END IF;
  RETURN ROW(200, left(result, -1) || ',"me":' || json_build_object('chips', chips_of(w))::text || '}')::answer;
END $$;
