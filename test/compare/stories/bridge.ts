import { Partner, type Cast } from '../actors.ts'
import { get, post, type Request } from '../recording.ts'

const BALANCE = '/api/wallet/balance'
const TRANSACTION = '/api/wallet/transaction'
const ROLLBACK = '/api/wallet/rollback'
const STATEMENT = '/api/wallet/statement'
const CHIPS = '100000000'

/** A partner's calls: tokens, transactions, rollbacks and statements. */
export async function bridge(cast: Cast): Promise<void> {
  const { recorder, manifest, stranger } = cast
  const partner = new Partner(manifest.partner)
  const player = await stranger("a partner's player")
  const [playerId, currency] = [player.address, 'USDG']
  const faucet = { wallet: playerId, token: currency, amountWei: CHIPS, id: 'bridge' }
  await recorder.send(post('/api/dev/faucet', faucet))

  const ask = (name: string, request: Request, authorization = partner.authorization()) =>
    recorder.ask(name, { ...request, headers: { ...request.headers, ...authorization } })
  const balance = get(BALANCE, { playerId, currency })
  await ask('a balance', balance)
  await ask(
    'a balance of an unknown player',
    get(BALANCE, { playerId: manifest.owner.address, currency }),
  )
  await ask(
    'a balance in another letter case',
    get(BALANCE, { playerId: playerId.toLowerCase(), currency }),
  )
  await ask('a balance of another currency', get(BALANCE, { playerId, currency: 'BTC' }))
  await ask('a balance without a player', get(BALANCE))
  await tokens(cast, partner, balance)

  const move = (id: string, fields: object) =>
    post(TRANSACTION, { playerId, currency, partnerTransactionId: id, ...fields })
  const debit = move('debit', { amountWei: '-2500000' })
  await ask('a debit', debit)
  await ask('the debit again', debit)
  await ask('the same id for another amount', move('debit', { amountWei: '-2500001' }))
  await ask(
    'the same id for a rollback',
    post(ROLLBACK, {
      playerId,
      currency,
      partnerTransactionId: 'debit',
      originalTransactionId: 'x',
    }),
  )
  await ask('a credit', move('credit', { amountWei: '1250000' }))
  await ask('a transaction of nothing', move('nothing', { amountWei: '0' }))
  await ask('a debit in whole units', move('whole', { amount: -0.5 }))
  await ask('a credit in both units', move('both', { amount: 0.25, amountWei: '250000' }))
  await ask('two amounts that differ', move('differ', { amount: 0.25, amountWei: '250001' }))
  await ask('too many decimals', move('decimals', { amount: 0.0000001 }))
  await ask('no amount', move('none', {}))
  await ask('a malformed amount', move('malformed', { amountWei: '+5' }))
  await ask('a malformed id', move('', { amountWei: '5' }))
  await ask('an amount with a near-miss name', move('near', { amount_wei: '5' }))
  await ask('a debit of too many chips', move('poor', { amountWei: `-${CHIPS}0` }))
  await ask('the debit of too many chips again', move('poor', { amountWei: `-${CHIPS}0` }))
  await ask('a credit above the limit', move('rich', { amountWei: '10000000001' }))
  await ask(
    'a number with an exponent',
    post(
      TRANSACTION,
      `{"playerId":"${playerId}","currency":"USDG","partnerTransactionId":"exponent","amount":-1e-6}`,
    ),
  )

  const undo = (id: string, originalTransactionId: string) =>
    post(ROLLBACK, { playerId, currency, partnerTransactionId: id, originalTransactionId })
  await ask('a rollback', undo('undo', 'debit'))
  await ask('the rollback again', undo('undo', 'debit'))
  await ask('a second rollback', undo('undo-2', 'debit'))
  await ask('a rollback of a credit', undo('undo-3', 'credit'))
  await ask('a rollback of a refused transaction', undo('undo-4', 'poor'))
  await ask('a rollback of a rollback', undo('undo-5', 'undo'))
  await ask('a rollback before its transaction', undo('undo-6', 'late'))
  await ask('the transaction after its rollback', move('late', { amountWei: '-1' }))
  await ask('a rollback of itself', undo('undo-7', 'undo-7'))
  await ask(
    'a rollback with a near-miss name',
    post(ROLLBACK, {
      playerId,
      currency,
      partnerTransactionId: 'x',
      OriginalTransactionId: 'debit',
    }),
  )

  const statement = (query: Record<string, string> = {}) =>
    get(STATEMENT, { playerId, currency, ...query })
  await ask('a statement', statement())
  const page = await recorder.ask<{ next: number }>('a page of a statement', {
    ...statement({ limit: '3' }),
    headers: partner.authorization(),
  })
  await ask('its next page', statement({ limit: '3', cursor: String(page.next) }))
  await ask('a statement of another period', statement({ from: '0', to: '1' }))
  await ask('a statement with a malformed time', statement({ from: 'yesterday' }))
  await ask('a statement above the limit', statement({ limit: '501' }))
  await ask('the balance at the end', balance)
}

/** Valid and invalid tokens. */
async function tokens({ recorder, manifest }: Cast, partner: Partner, balance: Request) {
  const now = Math.floor(Date.now() / 1_000)
  const ask = (name: string, headers: Record<string, string>, request = balance) =>
    recorder.ask(name, { ...request, headers: { ...request.headers, ...headers } })
  await ask('no token', {})
  await ask('another scheme', { authorization: 'Basic abc' })
  await ask('a malformed token', { authorization: 'Bearer abc' })
  const forger = new Partner({ id: partner.id, secret: 'a guess' })
  await ask('a forged token', forger.authorization())
  await ask('a token of an unknown partner', partner.authorization({ iss: 'nobody' }))
  await ask('a token of another audience', partner.authorization({ aud: 'elsewhere' }))
  await ask('a token that has expired', partner.authorization({ iat: now - 60, exp: now - 40 }))
  await ask('a token that lives too long', partner.authorization({ exp: now + 3_600 }))
  await ask(
    'a token from the future',
    partner.authorization({ iat: now + 86_400, exp: now + 86_410 }),
  )
  await ask('a token without an id', partner.authorization({ jti: undefined }))
  await ask('a token that names its key', partner.authorization({}, { kid: 'first' }))
  await ask('a token that names an unknown key', partner.authorization({}, { kid: 'other' }))
  const { next } = manifest.partner
  if (next) {
    const successor = new Partner({ id: partner.id, secret: next.secret })
    await ask('a token of the next key', successor.authorization({ jti: 'next-key-1' }))
  }
  const used = partner.authorization()
  await ask('a token once', used)
  await ask('a token for the same call', used)
  const other = { ...balance, path: balance.path.replace('USDG', 'ETH') }
  await ask('a token for another call', used, other)
  const move = { partnerTransactionId: 'without-jti', amountWei: '1' }
  const moving = post(TRANSACTION, { playerId: manifest.owner.address, currency: 'USDG', ...move })
  await ask(
    'a transaction with a token without an id',
    partner.authorization({ jti: undefined }),
    moving,
  )
  await ask('a transaction without a token', {}, moving)
}
