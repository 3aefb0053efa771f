import { getAddress, isHex } from 'viem'
import type { OpeningAnswer } from '../../lootbox/opening.ts'
import type { Pending } from '../../payment/answers.ts'
import { showAmount, showAsset } from '../shared/amounts.ts'
import { poll } from '../shared/poll.ts'
import { say } from '../shared/terminal.ts'
import { checkOpened, type LootboxTerms, type MinedPayment } from './lootbox-checks.ts'
import { conclude, expectSame, type PrizeSeat } from './prize-seat.ts'

/** Pays for the lootbox, opens it, waits for the prize and checks everything that can be checked so far. */
export async function playLootbox(seat: PrizeSeat): Promise<boolean> {
  const { client, access, account, line } = seat
  const terms = await client.get<LootboxTerms>('/api/lootbox')
  showTerms(terms)
  const payment = await pay(seat, terms)
  line.print(`paid ${showAmount(BigInt(terms.price), 'ETH')} to the pool: ${payment.txHash}`)
  const { label, ...opened } = await openWith(seat, payment)
  const prize = showAsset(BigInt(opened.prize), opened.asset)
  line.print(`opened: ${label}, ${prize}`)
  const { open, held } = await receive(seat, payment)
  const seen = `--wallet ${account.address} --seed-hash ${open.seedHash} --rpc ${access.rpcUrl}`
  return conclude(checkOpened({ terms, payment, open, held }), {
    prize,
    later: `From ten minutes after the end of ${open.day} (UTC), check that the roll follows from the seed`,
    verify: `${client.baseUrl.origin} --opening ${payment.txHash} ${seen}`,
  })
}

/** Waits until the prize is paid. */
async function receive(seat: PrizeSeat, payment: MinedPayment) {
  const { account, line } = seat
  const open = await poll(
    'The prize is owed, but was not paid in time. See the output of npm run dev.',
    async () => {
      const now = await openWith(seat, payment)
      line.show(`the prize: ${now.status}`)
      return now.status === 'paid' ? now : null
    },
  )
  const { asset, prizeTxHash } = open
  if (!isHex(prizeTxHash)) return { open, held: null }
  line.print(`paid to your wallet: ${prizeTxHash}`)
  return { open, held: await account.holdsAround(tokenOf(seat, asset), prizeTxHash) }
}

function showTerms({ price, prizes, expectedValue, day, seedHash }: LootboxTerms): void {
  say(`lootbox: ${showAmount(BigInt(price), 'ETH')} each`)
  for (const { chance, prize, asset, label } of prizes) {
    const percent = `${(chance * 100).toFixed(2)}%`.padStart(8)
    say(`  ${percent}  ${label.padEnd(10)} ${showAsset(BigInt(prize), asset)}`)
  }
  // Sums are in smallest units, with at most four decimals.
  const average = Object.entries(expectedValue).map(([asset, sum]) =>
    showAsset(BigInt(sum.split('.', 1)[0] ?? 0), asset),
  )
  say(`  on average ${average.join(' and ')}`)
  say(`  seed hash of ${day}  ${seedHash}`)
}

async function pay({ account, access }: PrizeSeat, terms: LootboxTerms): Promise<MinedPayment> {
  expectSame('the pool', getAddress(terms.pool), access.pool)
  const value = BigInt(terms.price)
  const { transactionHash, blockHash } = await account.send({ to: access.pool, value })
  return { txHash: transactionHash, blockHash, paidAt: await account.madeAt(blockHash) }
}

/** Opens the lootbox with a payment, or returns the current state of its opening. */
function openWith(
  { client, account, line }: PrizeSeat,
  { txHash }: MinedPayment,
): Promise<OpeningAnswer['open']> {
  const call = { action: 'open', wallet: account.address, txHash }
  return poll('The payment was not confirmed in time. See the output of npm run dev.', async () => {
    const answer = await client.post<OpeningAnswer | Pending>('/api/lootbox', call)
    if ('open' in answer) return answer.open
    line.show(`the payment has ${answer.confirmations} of ${answer.required} confirmations`)
    return null
  })
}

/** Returns a prize's token, or null for the native coin. npm run dev has a single stock. */
function tokenOf({ access }: PrizeSeat, asset: string) {
  if (asset === 'ETH') return null
  return asset === 'REWARD' ? access.rewardToken : access.stock
}
