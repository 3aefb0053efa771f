import type { LogEntry, LoggedEntry, LogKind } from '../transparency/entry.ts'
import { retried } from './call.ts'
import { transparencyLog } from './objects.ts'

/** Appends an entry to the public log, unless the log has one of its kind and id. @returns the log's entry */
export function appendToLog(env: Env, entry: LogEntry): Promise<LoggedEntry> {
  return retried(async () => transparencyLog(env).append(entry))
}

/** Returns the public log's entry of a kind and id; null if it has none. */
export function findInLog(env: Env, kind: LogKind, id: string): Promise<LoggedEntry | null> {
  return retried(async () => transparencyLog(env).find(kind, id))
}
