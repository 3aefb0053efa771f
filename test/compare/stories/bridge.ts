import { withToken, type Cast } from '../actors.ts'
import { get, post, type Request } from '../recording.ts'

const CHIPS = '100000000'

/** A partner's calls: tokens, transactions, rollbacks and statements. */
export async function bridge({ recorder, manifest, stranger }: Cast): Promise<void> {
  const { partner } = manifest
  const player = await stranger("a partner's player")
  const who = { playerId: player.address, currency: 'USDG' }
  const faucet = { wallet: player.address, token: 'USDG', amountWei: CHIPS, id: 'bridge' }
  await recorder.send(post('/api/dev/faucet', faucet))

  const askAll = async (requests: Record<string, Request>) => {
    for (const [name, request] of Object.entries(requests)) {
      await recorder.ask(name, withToken(partner, request))
    }
  }
  const balance = get('/api/wallet/balance', who)
  const move = (partnerTransactionId: string, fields: object) =>
    post('/api/wallet/transaction', { ...who, partnerTransactionId, ...fields })
  const undo = (partnerTransactionId: string, originalTransactionId: string) =>
    post('/api/wallet/rollback', { ...who, partnerTransactionId, originalTransactionId })
  const statement = (query: Record<string, string> = {}) =>
    get('/api/wallet/statement', { ...who, ...query })

  await askAll({
    'a balance': balance,
    'a balance of an unknown player': get('/api/wallet/balance', {
      ...{ playerId: manifest.owner.address, currency: 'USDG' },
    }),
    'a balance without a player': get('/api/wallet/balance'),
    'a debit': move('debit', { amountWei: '-2500000' }),
    'the debit again': move('debit', { amountWei: '-2500000' }),
    'the same id for another amount': move('debit', { amountWei: '-2500001' }),
    'the same id for a rollback': undo('debit', 'x'),
    'a credit': move('credit', { amountWei: '1250000' }),
    'a transaction of nothing': move('nothing', { amountWei: '0' }),
    'a debit in whole units': move('whole', { amount: -0.5 }),
    'a credit in both units': move('both', { amount: 0.25, amountWei: '250000' }),
    'two amounts that differ': move('differ', { amount: 0.25, amountWei: '250001' }),
    'an amount with a near-miss name': move('near', { amount_wei: '5' }),
    'a debit of too many chips': move('poor', { amountWei: `-${CHIPS}0` }),
    'a credit above the limit': move('rich', { amountWei: '10000000001' }),
    'a rollback': undo('undo', 'debit'),
    'the rollback again': undo('undo', 'debit'),
    'a second rollback': undo('undo-2', 'debit'),
    'a rollback of a credit': undo('undo-3', 'credit'),
    'a rollback of a rollback': undo('undo-5', 'undo'),
    'a rollback before its transaction': undo('undo-6', 'late'),
    'the transaction after its rollback': move('late', { amountWei: '-1' }),
    'a statement': statement(),
    'a page of a statement': statement({ limit: '3' }),
    'a statement of another period': statement({ from: '0', to: '1' }),
    'a statement above the limit': statement({ limit: '501' }),
    'the balance at the end': balance,
  })

  const now = Math.floor(Date.now() / 1_000)
  const first = move('without-jti', { amountWei: '1' })
  const { next } = partner
  await recorder.askAll({
    'no token': balance,
    'another scheme': { ...balance, headers: { authorization: 'Basic abc' } },
    'a forged token': withToken({ id: partner.id, secret: 'a guess' }, balance),
    'a token of an unknown partner': withToken(partner, balance, { iss: 'nobody' }),
    'a token that has expired': withToken(partner, balance, { iat: now - 60, exp: now - 40 }),
    'a token that lives too long': withToken(partner, balance, { exp: now + 3_600 }),
    'a token that names its key': withToken(partner, balance, {}, { kid: 'first' }),
    'a token that names an unknown key': withToken(partner, balance, {}, { kid: 'other' }),
    ...(next && { 'a token of the next key': withToken({ ...partner, ...next }, balance) }),
    'a token once': withToken(partner, balance, { jti: 'once' }),
    'a token for another call': withToken(partner, statement(), { jti: 'once' }),
    'a transaction with a token without an id': withToken(partner, first, { jti: undefined }),
  })
}
