import type { JsonSchema } from '../../src/reference/schemas.ts'
import type { Random } from '../live/random.ts'
import { treeOf, type Tree } from './tree.ts'

const MAX_UINT256 = 2n ** 256n - 1n

const NUMBERS = [
  '0',
  '-0',
  '1',
  '-1',
  '0.1',
  '1.005',
  '1e2',
  '1E+2',
  '1e-7',
  '1e400',
  '-1e400',
  '1e-400',
  '2147483648',
  '4294967296',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '18446744073709551616',
  String(MAX_UINT256),
  '1'.repeat(400),
  `0.${'1'.repeat(400)}`,
  '8640000000000000',
  '8640000000000001',
  '253402300800',
  '-62135596801',
  '1e21',
]

const TEXTS = [
  '',
  ' ',
  '0',
  '00',
  '-0',
  '-1',
  '+1',
  '1.0',
  '1e3',
  '0x1',
  ' 1',
  '1 ',
  '1_000',
  '１',
  '٣',
  '1n',
  String(MAX_UINT256),
  String(MAX_UINT256 + 1n),
  '9'.repeat(78),
  '9'.repeat(5_000),
  '9007199254740992',
  'NaN',
  'Infinity',
  'null',
  'undefined',
  'true',
  '[object Object]',
  '0x',
  `0x${'0'.repeat(40)}`,
  `0x${'f'.repeat(40)}`,
  `0X${'1'.repeat(40)}`,
  `0x${'g'.repeat(40)}`,
  `0x${'0'.repeat(64)}`,
  `0x${'F'.repeat(64)}`,
  `0x${'00'.repeat(65)}`,
  `0x${'ff'.repeat(65)}`,
  `0x${'ab'.repeat(4_096)}`,
  `0x${'ab'.repeat(4_097)}`,
  `0x${'6492'.repeat(16)}`,
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u202e',
  '\ufeff',
  '💥',
  'é',
  'e\u0301',
  'İ',
  'ß',
  'a\nb',
  'a\r\nx: y',
  '\t',
  '"',
  '\\',
  "' OR 1=1 --",
  '%00',
  '%2e%2e%2f',
  '${7*7}',
  '{{7}}',
  '<script>',
  '__proto__',
  'constructor',
  'toString',
  'house',
  'eth',
  'usdg',
  'USDG ',
  'Eth',
  'https://',
  'https://x',
  'http://127.0.0.1/',
  'https://[::1]/',
  'https://a.b:99999/',
  'data:,x',
  'https://a.example/\u202e',
  `https://a.example/${'a'.repeat(2_100)}`,
  'javascript:1',
  '//a.example',
  '2026-02-30',
  '0000-00-00',
  '9999-12-31',
  '+010000-01-01',
  '2026-1-1',
  '2026-01-01T00:00:00Z',
  'a'.repeat(10_000),
  '💥'.repeat(2_000),
  'x'.repeat(60_000),
]

const deep = (depth: number, open: string, close: string) =>
  open.repeat(depth) + '1' + close.repeat(depth)

const STRUCTURES = [
  'null',
  'true',
  'false',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"":null}',
  '[1,2,3]',
  '{"length":1}',
  '{"__proto__":{"ok":true}}',
  '{"toString":1}',
  '{"then":1}',
  '{"toJSON":1}',
  '{"rawJSON":"1"}',
  '"ETH"',
  '["ETH"]',
  '{"source":"1"}',
  '{"ETH":1}',
  `[${'0,'.repeat(2_000)}0]`,
  deep(100, '[', ']'),
  deep(3_000, '[', ']'),
  deep(20_000, '[', ']'),
  deep(100, '{"a":', '}'),
  deep(3_000, '{"a":', '}'),
  deep(10_000, '{"a":', '}'),
]

/** Text that is no JSON. */
const NOT_JSON = [
  '',
  'NaN',
  'Infinity',
  'undefined',
  '01',
  '+1',
  '.5',
  '1.',
  '0x10',
  "'a'",
  '"\\x41"',
  '"\n"',
  '1n',
  '[1,]',
  '{"a":1,}',
  '{a:1}',
  '//',
  '"\\u12"',
  '-',
  '1e',
  '\u0000',
  '{"a":1}{"b":2}',
]

/** A value of any kind, as JSON text. */
export function oddValue(random: Random): Tree {
  const kind = random.draw()
  if (kind < 0.3) return { raw: random.pick(NUMBERS) }
  if (kind < 0.7) return treeOf(oddText(random))
  if (kind < 0.95) return { raw: random.pick(STRUCTURES) }
  return { raw: random.pick(NOT_JSON) }
}

export function oddText(random: Random): string {
  return random.pick(TEXTS)
}

/** A value that is nearly as right as the current one: a boundary of its schema, or a slip of the pen. */
export function nearValue(random: Random, current: Tree, schemas: JsonSchema[]): Tree {
  const texts = [...schemas.flatMap(boundaries), ...slips(random, current)]
  return texts.length > 0 ? { raw: random.pick(texts) } : oddValue(random)
}

/** Returns JSON texts at, just inside and just outside what a schema allows. */
function boundaries(schema: JsonSchema): string[] {
  const { minimum, maximum, minLength, maxLength } = schema
  const numbers = [minimum, maximum].flatMap((limit) =>
    limit === undefined
      ? []
      : [limit - 1, limit - 0.01, limit, limit + 0.01, limit + 0.001, limit + 1].map(String),
  )
  const lengths = [minLength, maxLength].flatMap((length) =>
    length === undefined
      ? []
      : [length - 1, length, length + 1].map((count) =>
          JSON.stringify('a'.repeat(Math.max(0, count))),
        ),
  )
  const choices = [...(schema.enum ?? []), ...(schema.const === undefined ? [] : [schema.const])]
  return [...numbers, ...lengths, ...choices.flatMap(spellings)]
}

function spellings(choice: unknown): string[] {
  if (typeof choice !== 'string') return [JSON.stringify(choice)]
  const first = choice.slice(0, 1)
  return [
    choice,
    choice.toLowerCase(),
    choice.toUpperCase(),
    ` ${choice}`,
    `${choice}\u0000`,
    choice.slice(1),
    choice + first,
    first.toUpperCase() + choice.slice(1),
  ].map((text) => JSON.stringify(text))
}

/** Returns a current value with one slip. */
function slips(random: Random, current: Tree): string[] {
  if ('items' in current) {
    const texts = current.items.map((item) => ('raw' in item ? item.raw : '[]'))
    const [first = '0'] = texts
    return [
      [...texts, first],
      texts.slice(1),
      [],
      [texts.join(',')],
      Array<string>(1_000).fill(first),
    ].map((items) => `[${items.join(',')}]`)
  }
  if (!('raw' in current)) return []
  const { raw } = current
  if (!raw.startsWith('"')) {
    return [
      `"${raw}"`,
      `-${raw}`,
      `${raw}.0`,
      `${raw}e0`,
      `${raw}e1`,
      `${raw}.5`,
      `[${raw}]`,
      `${raw}0`,
    ]
  }
  const text = JSON.parse(raw) as string
  const place = random.between(0, text.length)
  const swapped = text.replaceAll(/[a-zA-Z]/g, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  const slipped = [
    text.toLowerCase(),
    text.toUpperCase(),
    swapped,
    `${text} `,
    ` ${text}`,
    `${text}\n`,
    text.slice(0, place) + text.slice(place + 1),
    text.slice(0, place) + '0' + text.slice(place),
    text.slice(0, place),
    text.slice(place),
    text + text,
    text.slice(0, place) + '\u200b' + text.slice(place),
  ]
  return [text, ...slipped.map((each) => JSON.stringify(each))]
}

/** Values that a header may have: bytes of latin 1 without line breaks. */
export const ODD_HEADER_VALUES = [
  '',
  ' ',
  '0',
  '-1',
  '1e9',
  'null',
  '*',
  '*/*',
  ',',
  ';',
  '"',
  '\\',
  'é',
  'ÿ',
  '\t',
  'a'.repeat(4_000),
  'Bearer',
  'Bearer ',
  'Bearer x',
  'Bearer a.b.c',
  'bearer a.b.c',
  'Basic YTpi',
  'Bearer eyJhbGciOiJub25lIn0.e30.',
  'eyJhbGciOiJub25lIn0.e30.',
  'Wallet ',
  'Wallet 0x.1.0x',
  'bytes=1-,3-4',
  '"x"',
  'W/"x"',
  'application/json',
  'application/json;charset=utf-16',
  'APPLICATION/JSON',
  'application/json, text/html',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json\t;',
  'gzip',
  'br',
  'identity;q=0',
  'deflate, gzip',
  'zstd',
  'chunked',
  '100-continue',
  'bytes=0-1',
  'bytes=-',
  '127.0.0.1',
  '::1',
  '2001:db8::1',
  'fe80::1%eth0',
  ':::::',
  '999.999.999.999',
  '1:2:3:4:5:6:7:8:9',
  'null',
  'http://localhost',
  'https://evil.example',
  'https://live.example',
  'file://',
  'https://',
  'close',
  'upgrade',
  'keep-alive, upgrade',
  'websocket',
  'h2c',
  'Thu, 01 Jan 1970 00:00:00 GMT',
]

/** The headers that the service, a proxy or the platform may look at. */
export const ODD_HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'cf-connecting-ip',
  'cf-ray',
  'content-encoding',
  'content-language',
  'content-type',
  'cookie',
  'expect',
  'forwarded',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'cf-access-jwt-assertion',
  'origin',
  'proxy-authorization',
  'range',
  'referer',
  'access-control-request-headers',
  'access-control-request-method',
  'te',
  'upgrade',
  'user-agent',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-http-method-override',
  'x-original-url',
  'x-request-id',
  'x-rewrite-url',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
  'sec-fetch-site',
  'cf-worker',
  'x-x',
]
