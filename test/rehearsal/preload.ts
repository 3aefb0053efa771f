// Loaded before a command that an operator runs: gives it the rehearsal's clock and beacons, and the way to the site.
import { trustOwnBeacon } from '../lying-house/beacon.ts'
import { driveDate } from './driven-date.ts'

const { REHEARSAL_AHEAD_MS = '0', REHEARSAL_SITE = '', REHEARSAL_SERVICE = '' } = process.env

driveDate(() => Number(REHEARSAL_AHEAD_MS))
trustOwnBeacon()

const { fetch } = globalThis
globalThis.fetch = (input, init) => {
  const url = input instanceof Request ? input.url : String(input)
  if (!url.startsWith(REHEARSAL_SITE)) return fetch(input, init)
  return fetch(url.replace(REHEARSAL_SITE, REHEARSAL_SERVICE), init)
}
