import { isOwnMachine } from '../../core/own-machine.ts'

/**
 * Returns whether a source is a site that must take its peppers from a public beacon. False for a file, which doesn't
 * say where it came from.
 */
export function needsBeacon(source: string): boolean {
  return /^https?:\/\//.test(source) && !isOwnMachine(new URL(source).hostname)
}
