import { Partner, type Cast } from '../actors.ts'
import { get, post } from '../recording.ts'

const READ = '/api/wallet/permissions'
const CHANGE = '/api/wallet/permission'
const FIELDS = [
  'address player',
  'string partner',
  'address token',
  'uint256 maxPerDayWei',
  'uint256 expiresAt',
  'uint256 nonce',
]
const EXPIRES_AT = 4_000_000_000

/** A partner that needs its player's permission: granted, used and revoked. */
export async function permissions({ recorder, manifest, chain, stranger }: Cast): Promise<void> {
  const partner = new Partner(manifest.otherPartner)
  const player = await stranger('a player with permissions')
  const faucet = { wallet: player.address, token: 'USDG', amountWei: '50000000', id: 'permitted' }
  await recorder.send(post('/api/dev/faucet', faucet))
  const read = get(READ, player.credentials)
  await recorder.ask('the permissions', read)
  await recorder.ask('the permissions without a wallet', get(READ))

  let debits = 0
  const debit = (name: string, amountWei: string, hashed = true) => {
    const body = {
      playerId: player.address,
      currency: 'USDG',
      amountWei,
      partnerTransactionId: `permitted-${++debits}`,
    }
    const claims = hashed ? { bodyHash: Partner.bodyHash(body) } : {}
    const request = post('/api/wallet/transaction', body)
    const headers = { ...request.headers, ...partner.authorization(claims) }
    return recorder.ask(name, { ...request, headers })
  }
  await debit('a debit without the hash of its body', '-1', false)
  await debit('a debit without a permission', '-1')

  const granted = {
    partner: partner.id,
    token: 'USDG',
    maxPerDayWei: '10000000',
    expiresAt: EXPIRES_AT,
    nonce: 0,
  }
  const grant = async (fields: Partial<typeof granted> = {}, more: object = {}) => {
    const order = { ...granted, ...fields }
    const signature = await chain.sign(player, 'PartnerPermission', FIELDS, {
      ...order,
      player: player.address,
      token: manifest.contracts.usdg,
      maxPerDayWei: BigInt(order.maxPerDayWei),
      expiresAt: BigInt(order.expiresAt),
      nonce: BigInt(order.nonce),
    })
    return post(CHANGE, { action: 'grant', ...player.credentials, ...order, signature, ...more })
  }
  await recorder.ask('a grant with a wrong nonce', await grant({ nonce: 5 }))
  await recorder.ask('a grant that is not signed', await grant({}, { maxPerDayWei: '10000001' }))
  await recorder.ask('a grant to an unknown partner', await grant({ partner: 'nobody' }))
  await recorder.ask('a grant of nothing', await grant({ maxPerDayWei: '0' }))
  await recorder.ask('a malformed grant', await grant({}, { expiresAt: 'never', signature: 1 }))
  await recorder.ask('a grant with a near-miss name', await grant({}, { max_per_day_wei: '1' }))
  await recorder.ask('a grant', await grant())
  await recorder.ask('the grant again', await grant())
  await debit('a permitted debit', '-6000000')
  await debit('a debit above the permission', '-6000000')
  await debit('a credit', '1000000')
  await recorder.ask('the permissions in use', read)

  const revoke = (fields: object = {}) =>
    post(CHANGE, {
      action: 'revoke',
      ...player.credentials,
      partner: partner.id,
      token: 'USDG',
      ...fields,
    })
  await recorder.ask('a revocation', revoke())
  await recorder.ask('a second revocation', revoke())
  await recorder.ask('a revocation for an unknown partner', revoke({ partner: 'nobody' }))
  await recorder.ask('a malformed revocation', revoke({ partner: 'No Body', token: 'BTC' }))
  await recorder.ask('a change without a signature', revoke({ authSig: undefined }))
  await debit('a debit after the revocation', '-1')
}
