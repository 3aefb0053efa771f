import { encodeFunctionData, parseAbi, zeroAddress } from 'viem'
import type { Cast, Chain, Wallet } from '../actors.ts'
import { get, post } from '../recording.ts'

interface State {
  phase: string
  me: { chips: { ETH: string; USDG: string }; nonce: number }
}

interface Withdrawn {
  withdrawal: { status: string }
}

const VAULT = parseAbi(['function deposit(address token, uint256 amount) payable'])
const FIELDS = ['address player', 'address token', 'uint256 amount', 'uint256 nonce']
const AMOUNT = '2000000000000000000'
const DEPOSIT = 3n * 10n ** 18n

/** A deposit, a withdrawal up to its payment, and the owner's top-up of the house. */
export async function vault({ recorder, chain, manifest, players, owner }: Cast): Promise<void> {
  const player = players[3]
  const other = players[4]
  if (!player || !other) return
  const { contracts } = manifest
  const state = get('/api/crash', player.credentials)
  const { me } = await recorder.wait<State>(state, ({ me: { chips } }) => chips.ETH !== '0')

  const args = [zeroAddress, DEPOSIT] as const
  const data = encodeFunctionData({ abi: VAULT, functionName: 'deposit', args })
  await chain.pay(player, { to: contracts.vault, value: DEPOSIT, data })
  const credited = (BigInt(me.chips.ETH) + DEPOSIT).toString()
  await recorder.until<State>(
    'the state with a deposit',
    state,
    (now) => now.me.chips.ETH === credited && now.phase === 'betting',
  )

  const { nonce } = me
  const order = { token: 'ETH', amountWei: AMOUNT, nonce }
  const signature = await sign(chain, player, order)
  const withdraw = (fields: object) =>
    post('/api/crash', {
      action: 'withdraw',
      ...player.credentials,
      ...order,
      signature,
      ...fields,
    })
  await recorder.ask('a withdrawal of nothing', withdraw({ amountWei: '0' }))
  await recorder.ask('a withdrawal with a wrong nonce', withdraw({ nonce: nonce + 7 }))
  const theirs = await sign(chain, other, order)
  await recorder.ask("a withdrawal of another's signature", withdraw({ signature: theirs }))
  await recorder.ask('a malformed withdrawal', withdraw({ signature: 'signed', nonce: -1 }))
  const large = { ...order, amountWei: `${AMOUNT}000` }
  const largeSignature = await sign(chain, player, large)
  await recorder.ask(
    'a withdrawal of too many chips',
    withdraw({ ...large, signature: largeSignature }),
  )
  await chain.paused(async () => {
    await recorder.ask('a withdrawal', withdraw({}))
    await recorder.until<Withdrawn>(
      'the withdrawal, sent',
      withdraw({}),
      ({ withdrawal }) => withdrawal.status === 'submitted',
    )
    const next = { ...order, nonce: nonce + 1 }
    await recorder.ask(
      'a second withdrawal',
      withdraw({ ...next, signature: await sign(chain, player, next) }),
    )
  })
  const isConfirmed = ({ withdrawal }: Withdrawn) => withdrawal.status === 'confirmed'
  await recorder.until<Withdrawn>('the withdrawal, paid', withdraw({}), isConfirmed)
  await recorder.ask('the same nonce for another amount', withdraw({ amountWei: '1' }))

  const topUp = (wallet: Wallet, fields: object = {}) =>
    post('/api/crash', { action: 'house-topup', ...wallet.credentials, ...fields })
  await recorder.ask('a count of the house', topUp(owner))
  await recorder.ask('a count without a record', topUp(owner, { record: false }))
  await recorder.ask('a malformed count', topUp(owner, { record: 'no' }))
  await recorder.ask("a count that isn't the owner's", topUp(player))

  const now = post('/api/dev/solvency', { wallet: player.credentials.wallet })
  await recorder.ask('the debts, counted now', now)
  await recorder.ask('the debts', get('/api/solvency'))
  await recorder.ask('the debts with a proof', get('/api/solvency', player.credentials))
}

function sign(
  chain: Chain,
  player: Wallet,
  { amountWei, nonce }: { amountWei: string; nonce: number },
) {
  const message = { player: player.address, token: zeroAddress, amount: BigInt(amountWei) }
  return chain.sign(player, 'Withdraw', FIELDS, { ...message, nonce: BigInt(nonce) })
}
