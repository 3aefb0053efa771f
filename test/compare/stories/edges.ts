import type { Cast } from '../actors.ts'
import { get, post } from '../recording.ts'

const POSTS = [
  '/api/crash',
  '/api/entropy',
  '/api/lootbox',
  '/api/lootbox-nft',
  '/api/wallet/permission',
  '/api/ad-rental',
  '/api/operate',
  '/api/dev/faucet',
]
const SIGNED_POSTS = ['/api/wallet/transaction', '/api/wallet/rollback']
const GETS = [
  '/api/auth/message',
  '/api/crash/stream',
  '/api/crash/verify-seeds',
  '/api/wallet/balance',
  '/api/wallet/statement',
  '/api/wallet/permissions',
  '/api/dev/players',
]

const BAD_BODIES: [what: string, body: string][] = [
  ['no JSON', '{'],
  ['a list', '[]'],
  ['a key twice', '{"action":"bet","action":"bet"}'],
  ['no action', '{}'],
  ["an action that isn't a string", '{"action":1}'],
  ['an unknown action', '{"action":"steal"}'],
  ['an inherited name as an action', '{"action":"constructor"}'],
  ['too much', `{"action":"${'a'.repeat(70_000)}"}`],
]

/** Wrong methods, and malformed bodies for every path. */
export async function edges({ recorder }: Cast): Promise<void> {
  for (const path of [...POSTS, ...SIGNED_POSTS, ...GETS, '/api/rpc']) {
    await recorder.ask(`DELETE ${path}`, { method: 'DELETE', path })
  }
  for (const path of GETS) await recorder.ask(`POST ${path}`, post(path, {}))
  for (const path of SIGNED_POSTS) await recorder.ask(`GET ${path}`, get(path))
  for (const path of POSTS) {
    for (const [what, body] of BAD_BODIES)
      await recorder.ask(`${what} to ${path}`, post(path, body))
    const text = { 'content-type': 'text/plain' }
    await recorder.ask(`text to ${path}`, post(path, '{}', text))
  }
  await recorder.ask('an unknown path', get('/api/nothing'))
  await recorder.ask('an unknown path below a known one', get('/api/crash/nothing'))
}

/** The operations of local play. */
export async function localPlay({ recorder, stranger }: Cast): Promise<void> {
  const { address: wallet } = await stranger('at the faucet')
  const take = (fields: object) =>
    post('/api/dev/faucet', { wallet, token: 'ETH', amountWei: '5', ...fields })
  await recorder.ask('the players', get('/api/dev/players'))
  await recorder.ask('chips', take({}))
  await recorder.ask('chips with an id', take({ id: 'first' }))
  await recorder.ask('chips with the same id', take({ id: 'first' }))
  await recorder.ask('other chips with the same id', take({ id: 'first', amountWei: '6' }))
  await recorder.ask('no chips', take({ amountWei: '0' }))
  await recorder.ask('malformed chips', take({ wallet: 'me', token: 'BTC', amountWei: 5, id: '' }))
}

/** The OpenAPI document and its page. */
export async function reference({ recorder }: Cast): Promise<void> {
  await recorder.ask('the document', get('/reference/openapi.yaml'))
  await recorder.ask('the page', get('/reference'))
}
