import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { MEMORY } from '../simulation/world/memory.ts'

/**
 * Everything that a module of the service keeps between requests. Another isolate keeps something
 * else: `test/workers/isolates.test.ts` and `test/chain/isolates.test.ts` show that no answer
 * depends on the isolate.
 */
const REMEMBERED: Record<string, string> = {
  'src/api/ad-rental/routes.ts rentals': 'for a second: a date is taken once, in D1',
  'src/api/auth/partner-token.ts imported':
    'keys by their secrets; the use of a token is an object’s',
  'src/api/auth/secp256k1.ts secp256k1': 'the library; each call writes all of its inputs',
  'src/api/auth/wallet-signature.ts contractVerdicts':
    'for a minute: a contract may change its mind',
  'src/api/auth/wallet-signature.ts keyVerdicts': 'for its window: a valid signature stays valid',
  'src/api/box-nft/offer.ts offers': 'for three seconds: the contract refuses what came too late',
  'src/api/box-nft/routes.ts kept': 'what the chain showed, for a second; no action reads it',
  'src/chain/check.ts right': 'vaults that were right, by their configuration',
  'src/chain/client.ts confirmed': 'nodes whose chain id was right; wrong ones are asked again',
  'src/config/load.ts loaded': 'by its environment, which never changes',
  'src/api/log/routes.ts kept': 'a checkpoint, for a second: an older one remains valid',
  'src/calls/modes.ts askedAt': 'for a second, then asked again',
  'src/calls/modes.ts failedAt': 'for ten seconds after a failure',
  'src/calls/modes.ts kept': 'for five seconds, or for five minutes if nothing newer can be read',
  'src/api/crash/cash-out.ts answered':
    'what a round has answered and no later call changes, or none before its take-off',
  'src/api/crash/cash-out.ts crowded':
    'for ten seconds: of wallets without chips, of which others ask the round',
  'src/api/crash/snapshot.ts seen': 'until the next planned transition, 200 ms in flight',
  'src/api/crash/snapshot.ts keptDisclosure':
    'for the phase of the snapshot that it was asked for with',
  'src/api/crash/snapshot.ts keptHistory':
    'for the phase of the snapshot that it was asked for with',
  'src/api/crash/own-reads.ts reads': 'its own reads, each for a second at most',
  'src/api/crash/table-bets.ts tables': 'for 200 ms, by round',
  'src/api/crash/snapshot.ts written': 'for its snapshot and its millisecond',
  'src/api/games/feed.ts flushPlannedAt': 'lost after a second and a half, then planned again',
  'src/api/games/feed.ts waiting':
    'a short cut: each ledger tells its plays itself, once by number',
  'src/api/games/routes.ts seeded':
    'a short cut: of other wallets, above the limit, their ledgers are asked',
  'src/api/games/routes.ts written': 'for its rules and its modes',
  'src/api/games/rules.ts bounded': 'for its bankroll and its terms',
  'src/config/set-terms.ts applied': 'by the terms that were set, of its environment',
  'src/calls/beacon.ts verdicts': 'whether a signature is a round’s, which never changes',
  'src/api/lootbox/routes.ts commitments': 'for a second, by day',
  'src/api/lootbox/routes.ts disclosures': 'for a second, by day',
  'src/api/crash/ended-round.ts newest':
    'for a second: a round that has just ended is asked for again',
  'src/api/crash/ended-round.ts pages': 'for ten seconds: an ended round never changes',
  'src/api/lootbox/routes.ts wins': 'for a second, and until an opening in this isolate',
  'src/api/lootbox/prices.ts kept': 'for a minute: what feeds say, only shown',
  'src/calls/log-terms.ts announced': 'a short cut: the log takes each entry once',
  'src/calls/log-terms.ts triedAt': 'for ten seconds: others log the same terms',
  'src/api/health/routes.ts facts': 'for two seconds: the object itself asks every ten',
  'src/api/history/export-routes.ts newestDays': 'for a second: a day is listed once it is closed',
  'src/api/solvency/routes.ts statements': 'for a second: the count is made once an hour',
  'src/api/receipts/sign.ts signers': 'the key of its environment, which never changes',
  'src/calls/terms.ts known': 'the terms of its environment, which never change',
  'src/api/operator/access.ts keySets': 'the published keys of a team, for ten minutes',
  'src/api/operator/state.ts inPlay': 'for a minute: positions are up to ten minutes old',
  'src/api/operator/routes.ts versions':
    'for a second: a version holds only seconds after it is set',
  'src/api/rpc-proxy/allowance.ts held': 'the bytes of its own calls, for 40 seconds at most',
  'src/api/rpc-proxy/chain-reader.ts immutable': 'blocks by their hashes',
  'src/api/rpc-proxy/chain-reader.ts states': 'the order in which nodes are asked',
  'durable-objects/ledger/archive-room.ts rooms':
    'of its own reads, for ten seconds at most: a refused one is sent again',
  'durable-objects/ledger/archive-room.ts spares':
    'a short cut: a segment that is forgotten is fetched again',
  'src/sweep.ts logged': 'a short cut: the log takes each entry once',
  'src/preview/font.ts drawn': 'the strokes of glyphs, which never change',
  'src/calls/bankroll.ts askedAt': 'for five seconds, then asked again',
  'src/calls/bankroll.ts kept': 'for fifteen seconds',
  'src/calls/vault-catch-up.ts current': 'for 900 ms after a look that brought everything in',
  'src/calls/chain-conditions.ts kept':
    'for fifteen seconds, and ten minutes after the chain was seen so',
  'src/api/vault/owner.ts owners':
    'for five seconds: the vault itself lets only its owner withdraw',
}

const FOLDERS = ['src', 'durable-objects']
/** Other programs: the page, the command line and its auditor. */
const ELSEWHERE = /^src\/(play|cli|audit)\//
const ROOT = new URL('../../', import.meta.url)

function remembered(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.ts') && !ELSEWHERE.test(path))
      .flatMap((path) =>
        [...readFileSync(new URL(path, ROOT), 'utf8').matchAll(MEMORY)].map(
          ({ groups }) => `${path} ${groups?.['variable'] ?? groups?.['constant']}`,
        ),
      ),
  ).toSorted()
}

/** Tables that are filled at their declaration and never written again. */
const CONSTANT = [
  'src/activity/activity.ts TELLERS',
  'src/ledger/totals.ts RULES',
  'src/config/known-keys.ts DEV_ADDRESSES',
  'src/config/known-keys.ts EXAMPLE_KEYS',
  'src/reference/schemas.ts refusals',
  'src/rpc-proxy/methods.ts PARAMETERS',
  'src/config/start-up.ts DEV_CHAINS',
  'src/config/start-up.ts MIN_CONFIRMATIONS',
]

describe('the memory of an isolate', () => {
  it('is listed, each entry with a reason why two isolates may differ in it', () => {
    expect(remembered()).toEqual([...Object.keys(REMEMBERED), ...CONSTANT].toSorted())
  })
})
