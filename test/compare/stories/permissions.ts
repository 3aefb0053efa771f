import { withToken, type Cast } from '../actors.ts'
import { get, post } from '../recording.ts'

const FIELDS =
  'address player, string partner, address token, uint256 maxPerDayWei, uint256 expiresAt, uint256 nonce'

/** A partner that needs its player's permission: granted, used and revoked. */
export async function permissions({ recorder, manifest, chain, stranger }: Cast): Promise<void> {
  const { otherPartner: partner, contracts } = manifest
  const player = await stranger('a player with permissions')
  const faucet = { wallet: player.address, token: 'USDG', amountWei: '50000000', id: 'permitted' }
  await recorder.send(post('/api/dev/faucet', faucet))
  const read = get('/api/wallet/permissions', player.credentials)

  let debits = 0
  const transact = (amountWei: string, claims = {}) => {
    const partnerTransactionId = `permitted-${++debits}`
    const body = { playerId: player.address, currency: 'USDG', amountWei, partnerTransactionId }
    return withToken(partner, post('/api/wallet/transaction', body), claims)
  }
  const order = { maxPerDayWei: '10000000', expiresAt: 4_000_000_000, nonce: 0 }
  const grant = async (fields: Partial<typeof order> = {}, more: object = {}) => {
    const { maxPerDayWei, expiresAt, nonce } = { ...order, ...fields }
    const signature = await chain.sign(player, 'PartnerPermission', FIELDS, {
      ...{ player: player.address, partner: partner.id, token: contracts.usdg },
      ...{ maxPerDayWei: BigInt(maxPerDayWei), expiresAt: BigInt(expiresAt), nonce: BigInt(nonce) },
    })
    return post('/api/wallet/permission', {
      ...{ action: 'grant', ...player.credentials, partner: partner.id, token: 'USDG' },
      ...{ ...order, ...fields, signature, ...more },
    })
  }
  const revoke = (fields: object = {}) =>
    post('/api/wallet/permission', {
      ...{ action: 'revoke', ...player.credentials, partner: partner.id, token: 'USDG' },
      ...fields,
    })
  await recorder.askAll({
    'the permissions': read,
    'a debit without the hash of its body': transact('-1', { bodyHash: undefined }),
    'a debit without a permission': transact('-1'),
    'a grant with a wrong nonce': await grant({ nonce: 5 }),
    'a grant that is not signed': await grant({}, { maxPerDayWei: '10000001' }),
    'a grant to an unknown partner': await grant({}, { partner: 'nobody' }),
    'a malformed grant': await grant({}, { expiresAt: 'never', max_per_day_wei: '1' }),
    'a grant': await grant(),
    'a permitted debit': transact('-6000000'),
    'a debit above the permission': transact('-6000000'),
    'a credit': transact('1000000'),
    'the permissions in use': read,
    'a revocation': revoke(),
    'a revocation for an unknown partner': revoke({ partner: 'nobody' }),
    'a debit after the revocation': transact('-1'),
  })
}
