import type { Cast } from '../actors.ts'
import { get, post } from '../recording.ts'

const POSTS = ['crash', 'entropy', 'lootbox', 'lootbox-nft', 'ad-rental', 'operate', 'dev/faucet']
const SIGNED_POSTS = ['wallet/transaction', 'wallet/rollback', 'wallet/permission']
const GETS = ['auth/message', 'crash/stream', 'crash/verify-seeds', 'wallet/balance']
const MORE_GETS = ['wallet/statement', 'wallet/permissions', 'dev/players']

const BAD_BODIES = {
  'no JSON': '{',
  'a key twice': '{"action":"bet","action":"bet"}',
  'no action': '{}',
  'an unknown action': '{"action":"steal"}',
  'too much': `{"action":"${'a'.repeat(70_000)}"}`,
}

/** The OpenAPI document and its page. */
export async function reference({ recorder }: Cast): Promise<void> {
  await recorder.ask('the document', get('/reference/openapi.yaml'))
  await recorder.ask('the page', get('/reference'))
}

/** Wrong methods for every path, and malformed bodies. */
export async function wrongCalls({ recorder }: Cast): Promise<void> {
  for (const path of [...POSTS, ...SIGNED_POSTS, ...GETS, ...MORE_GETS, 'rpc']) {
    await recorder.ask(`DELETE ${path}`, { method: 'DELETE', path: `/api/${path}` })
  }
  for (const path of POSTS) {
    for (const [what, body] of Object.entries(BAD_BODIES)) {
      await recorder.ask(`${what} to ${path}`, post(`/api/${path}`, body))
    }
  }
  const text = { 'content-type': 'text/plain' }
  await recorder.ask('text', post('/api/crash', '{}', text))
  await recorder.ask('an unknown path', get('/api/nothing'))
}

/** The operations of local play. */
export async function localPlay({ recorder, stranger }: Cast): Promise<void> {
  const { address: wallet } = await stranger('at the faucet')
  const take = (fields: object) =>
    post('/api/dev/faucet', { wallet, token: 'ETH', amountWei: '5', ...fields })
  await recorder.askAll({
    'the players': get('/api/dev/players'),
    chips: take({}),
    'chips with an id': take({ id: 'first' }),
    'chips with the same id': take({ id: 'first' }),
    'other chips with the same id': take({ id: 'first', amountWei: '6' }),
    'malformed chips': take({ wallet: 'me', token: 'BTC', amountWei: 5, id: '' }),
  })
}

/** The message a wallet signs, and refusals of missing and wrong signatures. */
export async function signIn({ recorder, players: [player, other] }: Cast): Promise<void> {
  const { wallet, authSig } = player.credentials
  const asked = (address: string) => get('/api/auth/message', { wallet: address })
  const state = (query: Record<string, string>) => get('/api/crash', query)
  await recorder.askAll({
    'the message': asked(wallet),
    'the message, for lower case': asked(wallet.toLowerCase()),
    'a wrong checksum': asked(wallet.replace('f', 'F').replace('C', 'c')),
    'no wallet': get('/api/auth/message'),
    'no signature': state({ wallet }),
    'a malformed wallet': state({ wallet: '0x12', authSig }),
    'a malformed signature': state({ wallet, authSig: 'signed' }),
    "another's signature": state({ wallet, authSig: other.credentials.authSig }),
  })
}
