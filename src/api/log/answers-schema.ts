import { text } from '../http/answers-schema.ts'

export const CheckpointAnswer = text(
  'A [signed note](https://c2sp.org/signed-note) with the name of the log, the number of its entries and the root of its tree in base64.',
)

export const KeyAnswer = text(
  'The verifier key of the log: its name, the id of the key and the key, joined by `+`.',
)

export const TileAnswer = text(
  'The hashes of the tile, 32 bytes each: of entries at level 0, of full tiles of the level below otherwise.',
)

export const EntriesAnswer = text(
  'Entries, each behind its length in bytes (16 bits, big-endian). An entry is canonical JSON (RFC 8785): `kind`, `id`, `at` (unix milliseconds) and the fields of its kind. No two have the same kind and id.',
)
