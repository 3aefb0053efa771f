import type { ExportedDay } from '../../exports/manifest.ts'
import { bytes32, component, describes, ok, records, text } from '../http/answers-schema.ts'

const day = {
  day: text('The UTC day, as YYYY-MM-DD.'),
  manifest: text('The path of its manifest, which lists its files.'),
  sha256: bytes32("The sha256 of the manifest's bytes"),
}

export const ExportsAnswer = describes<{ ok: true; days: ExportedDay[] }>()(
  component('Exports', { ok, days: records('The exported days, newest first.', day) }),
)
