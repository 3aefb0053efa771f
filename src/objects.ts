/** The objects by the names of what they own. */

/** The sequence of crash rounds. */
export function crashTable(env: Env) {
  return env.CRASH_TABLE.getByName('main')
}

export function crashRound(env: Env, roundId: number) {
  return env.CRASH_ROUND.getByName(String(roundId))
}

/** @param wallet in EIP-55 form: one wallet, one name */
export function ledger(env: Env, wallet: string) {
  return env.LEDGER.getByName(wallet)
}
