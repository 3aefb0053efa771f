import { encodeFunctionData, parseAbi, zeroAddress } from 'viem'
import type { Cast, Wallet } from '../actors.ts'
import { get, post } from '../recording.ts'

interface State {
  phase: string
  me: { chips: { ETH: string; USDG: string }; nonce: number }
}

interface Withdrawn {
  withdrawal: { status: string }
}

const VAULT = parseAbi(['function deposit(address token, uint256 amount) payable'])
const FIELDS = 'address player, address token, uint256 amount, uint256 nonce'
const AMOUNT = '2000000000000000000'
const DEPOSIT = 3n * 10n ** 18n

const hasStatus = (status: string) => (now: Withdrawn) => now.withdrawal.status === status

/** A deposit, a withdrawal up to its payment, and the owner's top-up of the house. */
export async function vault({ recorder, chain, manifest, players, owner }: Cast): Promise<void> {
  const [, , , player, other] = players
  const state = get('/api/crash', player.credentials)
  const { me } = await recorder.wait<State>(state, ({ me: { chips } }) => chips.ETH !== '0')

  const args = [zeroAddress, DEPOSIT] as const
  const data = encodeFunctionData({ abi: VAULT, functionName: 'deposit', args })
  await chain.pay(player, { to: manifest.contracts.vault, value: DEPOSIT, data })
  const credited = (BigInt(me.chips.ETH) + DEPOSIT).toString()
  const isCredited = (now: State) => now.me.chips.ETH === credited && now.phase === 'betting'
  await recorder.until<State>('the state with a deposit', state, isCredited)

  const { nonce } = me
  const withdraw = async (order: { amountWei?: string; nonce?: number } = {}, signer = player) => {
    const whole = { token: 'ETH', amountWei: AMOUNT, nonce, ...order }
    const message = { player: player.address, token: zeroAddress, amount: BigInt(whole.amountWei) }
    const signed = { ...message, nonce: BigInt(whole.nonce) }
    const signature = await chain.sign(signer, 'Withdraw', FIELDS, signed)
    return post('/api/crash', { action: 'withdraw', ...player.credentials, ...whole, signature })
  }
  await recorder.askAll({
    'a withdrawal of nothing': await withdraw({ amountWei: '0' }),
    'a withdrawal with a wrong nonce': await withdraw({ nonce: nonce + 7 }),
    "a withdrawal of another's signature": await withdraw({}, other),
    'a withdrawal of too many chips': await withdraw({ amountWei: `${AMOUNT}000` }),
  })
  const withdrawal = await withdraw()
  await chain.paused(async () => {
    await recorder.ask('a withdrawal', withdrawal)
    await recorder.until('the withdrawal, sent', withdrawal, hasStatus('submitted'))
    await recorder.ask('a second withdrawal', await withdraw({ nonce: nonce + 1 }))
  })
  await recorder.until('the withdrawal, paid', withdrawal, hasStatus('confirmed'))

  const topUp = (wallet: Wallet, fields: object = {}) =>
    post('/api/crash', { action: 'house-topup', ...wallet.credentials, ...fields })
  await recorder.askAll({
    'a count of the house': topUp(owner),
    'a count without a record': topUp(owner, { record: false }),
    "a count that isn't the owner's": topUp(player),
  })
}
