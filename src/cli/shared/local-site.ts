import { isOwnMachine } from '../../core/own-machine.ts'

/** Returns whether a site runs on this machine. */
export function isLocal({ hostname }: URL): boolean {
  return isOwnMachine(hostname)
}

/** Returns whether a source is a site that must take its peppers from a public beacon. Of a file nobody can tell. */
export function needsBeacon(source: string): boolean {
  return /^https?:\/\//.test(source) && !isLocal(new URL(source))
}
