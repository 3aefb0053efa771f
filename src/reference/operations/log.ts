import {
  CheckpointAnswer,
  EntriesAnswer,
  KeyAnswer,
  TileAnswer,
} from '../../api/log/answers-schema.ts'
import { LOG_KEY } from '../examples.ts'
import type { TagOperation } from '../operation.ts'

const index = {
  description:
    'Its place among those of its level, as groups of three digits joined by `/`, all but the last after an `x`; then `.p/` and the number of hashes or entries if it is partial.',
  example: 'x001/x234/067.p/8',
}

const CHECKPOINT = `localhost:8787/log
1
bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=

— localhost:8787/log …
`

export const logOperations: TagOperation[] = [
  {
    method: 'get',
    path: '/log/checkpoint',
    id: 'getLogCheckpoint',
    summary: 'The signed checkpoint of the log',
    contentType: 'text/plain',
    name: 'checkpoint',
    description:
      'Covers everything that was logged until now, or up to a second ago. `npm run monitor` verifies it. If the log succeeds one that was lost, its name ends in a number, and its checkpoint and tiles are under `/log/<number>/`; this path keeps the checkpoint of the current log.',
    limit: 'reads',
    answers: { 200: CheckpointAnswer },
    example: { answer: CHECKPOINT },
  },
  {
    method: 'get',
    path: '/log/key',
    id: 'getLogKey',
    summary: 'The key that signs checkpoints',
    contentType: 'text/plain',
    name: 'key',
    description:
      'For the first contact with a log. Keep it: a house that shows two logs could show two keys.',
    limit: 'reads',
    answers: { 200: KeyAnswer },
    example: { answer: LOG_KEY },
  },
  {
    method: 'get',
    path: '/log/tile/{level}/{index}',
    id: 'getLogTile',
    summary: 'Hashes of the tree',
    contentType: 'application/octet-stream',
    pathFields: {
      level: { description: 'From 0, the hashes of entries, to 63.', example: '0' },
      index,
    },
    name: 'tile',
    description: 'A tile never changes. Cache it.',
    limit: 'reads',
    answers: { 200: TileAnswer },
    refusals: ['not_found'],
    example: { answer: null },
  },
  {
    method: 'get',
    path: '/log/tile/entries/{index}',
    id: 'getLogEntries',
    summary: 'Entries',
    contentType: 'application/octet-stream',
    pathFields: { index },
    name: 'entries',
    description: 'At most 256 entries. A bundle never changes. Cache it.',
    limit: 'reads',
    answers: { 200: EntriesAnswer },
    refusals: ['not_found'],
    example: { answer: null },
  },
]
