import type { Page } from 'playwright-core'
import { padHex, parseEther, parseUnits, toHex, type Address } from 'viem'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { announceWallets, WalletFault } from './announced-wallets.ts'
import { chain, openView, service, SLOW, useDevService } from './chain-stories.ts'
import { ChainWallet, delegate, deployDouble } from './chain-wallets.ts'
import { barriers, commitment, keepPicture, onEveryScreen, type OpenPage } from './page.ts'

/** Code that carries out batches. */
let batchCode: Address

useDevService()
beforeAll(async () => {
  batchCode = await deployDouble(chain, service.manifest.players[0]!.address, 'BatchAccount')
})

/** Opens the cashier with a wallet, signed in. */
async function openCashier(wallet: ChainWallet): Promise<OpenPage> {
  const opened = await openView('cashier')
  await announceWallets(opened.page, [wallet])
  await opened.page.getByRole('banner').getByRole('button', { name: 'Connect wallet' }).click()
  await opened.page.getByLabel('Your chips').waitFor()
  wallet.prompts.length = 0
  return opened
}

const depositPanel = (page: Page) => page.getByRole('region', { name: 'Deposit', exact: true })
const withdrawPanel = (page: Page) => page.getByRole('region', { name: 'Withdraw' })

async function enter(page: Page, region: 'Deposit' | 'Withdraw', token: string, amount: string) {
  const panel = region === 'Deposit' ? depositPanel(page) : withdrawPanel(page)
  await panel.getByRole('radio', { name: token }).check()
  await panel.getByRole('button', { name: `${region} ${token}` }).waitFor()
  const field = panel.getByLabel('Amount', { exact: true })
  await field.fill(amount)
  // Not the button: other panels appear while they load, and move it.
  await field.press('Enter')
}

describe('a deposit of USDG', () => {
  let wallet: ChainWallet
  let player: Address
  /** What the wallet had before. */
  let held: bigint
  const paid = async () => held - (await chain.tokens(service.manifest.contracts.usdg, player))

  beforeEach(async () => {
    const { address, privateKey } = service.manifest.players[1]!
    await delegate(chain, address, batchCode)
    player = address
    wallet = new ChainWallet(chain, address, privateKey)
    held = await chain.tokens(service.manifest.contracts.usdg, player)
  })

  it('takes one prompt of a wallet that approves and deposits at once', async () => {
    wallet.onBatch = wallet.carryOut
    const { page, faults } = await openCashier(wallet)
    await enter(page, 'Deposit', 'USDG', '40')
    await depositPanel(page).getByText('+40 USDG in chips').waitFor(SLOW)
    expect(wallet.prompts).toEqual(['wallet_sendCalls'])
    expect(await paid()).toBe(parseUnits('40', 6))
    expect(faults).toEqual([])
  })

  it('takes two prompts of a wallet without batches', async () => {
    const { page, faults } = await openCashier(wallet)
    await enter(page, 'Deposit', 'USDG', '41')
    await depositPanel(page).getByText('+41 USDG in chips').waitFor(SLOW)
    expect(wallet.prompts).toEqual(['eth_signTypedData_v4', 'eth_sendTransaction'])
    expect(await paid()).toBe(parseUnits('41', 6))
    expect(faults).toEqual([])
  })

  it('takes the two prompts also if a wallet cannot do what it promised', async () => {
    wallet.onBatch = async () => {
      throw new WalletFault(5760, 'Atomicity not supported.')
    }
    const { page } = await openCashier(wallet)
    await enter(page, 'Deposit', 'USDG', '42')
    await depositPanel(page).getByText('+42 USDG in chips').waitFor(SLOW)
    expect(wallet.prompts).toEqual([
      'wallet_sendCalls',
      'eth_signTypedData_v4',
      'eth_sendTransaction',
    ])
    expect(await paid()).toBe(parseUnits('42', 6))
  })

  it('that is declined leaves nothing behind', async () => {
    wallet.onBatch = async () => {
      throw new WalletFault(4001, 'User rejected the request.')
    }
    const { page } = await openCashier(wallet)
    await enter(page, 'Deposit', 'USDG', '43')
    await depositPanel(page).getByRole('alert').getByText('You declined').waitFor()
    await page.reload()
    await depositPanel(page).getByRole('button', { name: 'Deposit ETH' }).waitFor()
    expect(await page.evaluate(`localStorage['fairhouse.deposit.${player}']`)).toBeUndefined()
    expect(await paid()).toBe(0n)
  })

  it.each([
    ['the wallet tells of it', false],
    ['the wallet has forgotten it and the chain tells', true],
  ])('whose answer is lost continues after a reload: %s', async (_who, isForgetful) => {
    let carriedOut = () => {}
    const isCarriedOut = new Promise<void>((resolve) => (carriedOut = resolve))
    wallet.onBatch = async (batch) => {
      await wallet.carryOut(batch)
      carriedOut()
      return new Promise(() => {})
    }
    wallet.isForgetful = isForgetful
    const { page, faults } = await openCashier(wallet)
    await enter(page, 'Deposit', 'USDG', '44')
    await isCarriedOut
    await page.reload()
    await depositPanel(page).getByText('+44 USDG in chips').waitFor(SLOW)
    expect(wallet.prompts).toEqual(['wallet_sendCalls'])
    expect(await paid()).toBe(parseUnits('44', 6))
    expect(faults).toEqual([])
  })

  it('cannot be made again while the prompt of the first may still be open', async () => {
    const confirm: (() => Promise<unknown>)[] = []
    wallet.onBatch = (batch) => {
      confirm.push(() => wallet.carryOut(batch))
      return new Promise(() => {})
    }
    const { page, faults } = await openCashier(wallet)
    await enter(page, 'Deposit', 'USDG', '45')
    await expect.poll(() => confirm.length, SLOW).toBe(1)
    await page.reload()
    const panel = depositPanel(page)
    await panel.getByText('Your wallet doesn’t say').waitFor(SLOW)
    await onEveryScreen(page, async (screen) => {
      await keepPicture(page, `deposit-unsure-${screen}`)
      expect(await barriers(page), screen).toEqual([])
    })
    const button = panel.getByRole('button', { name: 'Depositing…' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await button.click({ force: true })
    await confirm[0]?.()
    await panel.getByText('+45 USDG in chips').waitFor(SLOW)
    expect(wallet.prompts).toEqual(['wallet_sendCalls'])
    expect(await paid()).toBe(parseUnits('45', 6))
    expect(faults).toEqual([])
  })

  it('can be made again once its player says that it was not sent', async () => {
    wallet.onBatch = () => new Promise(() => {})
    const { page } = await openCashier(wallet)
    await enter(page, 'Deposit', 'USDG', '46')
    await expect.poll(() => wallet.prompts, SLOW).toEqual(['wallet_sendCalls'])
    await page.reload()
    await depositPanel(page).getByRole('button', { name: 'It wasn’t sent' }).click()
    wallet.onBatch = wallet.carryOut
    await enter(page, 'Deposit', 'USDG', '46')
    await depositPanel(page).getByText('+46 USDG in chips').waitFor(SLOW)
    expect(await paid()).toBe(parseUnits('46', 6))
  })
})

/** An account that isn't just a key, and the key that signs for it. */
type Account = () => Promise<ChainWallet>

const ACCOUNTS: [string, Account][] = [
  [
    'a contract (ERC-1271)',
    async () => {
      const { address, privateKey } = service.manifest.players[2]!
      const account = await deployDouble(chain, address, 'ContractWallet', padHex(address))
      await chain.request('anvil_setBalance', [account, toHex(parseEther('10'))])
      await chain.request('anvil_impersonateAccount', [account])
      return new ChainWallet(chain, account, privateKey)
    },
  ],
  [
    'a key that delegates to code (EIP-7702)',
    async () => {
      const { address, privateKey } = service.manifest.players[3]!
      await delegate(chain, address, batchCode)
      return new ChainWallet(chain, address, privateKey)
    },
  ],
]

describe('an account that is', () => {
  it.each(ACCOUNTS)('%s signs in, deposits, plays and withdraws', async (_what, account) => {
    const wallet = await account()
    const [address] = (await wallet.request('eth_requestAccounts', [])) as [Address]
    const { page, faults } = await openCashier(wallet)
    await enter(page, 'Deposit', 'ETH', '1')
    await depositPanel(page).getByText('+1 ETH in chips').waitFor(SLOW)

    await page.goto(`${service.manifest.baseUrl}/#/limbo`)
    await commitment(page)
    await page.getByRole('button', { name: /^Play/ }).click()
    await page.getByRole('status').filter({ hasText: 'Play 0:' }).waitFor()

    await page.goto(`${service.manifest.baseUrl}/#/cashier`)
    const before = await chain.eth(address)
    await enter(page, 'Withdraw', 'ETH', '0.75')
    await withdrawPanel(page).getByText('+0.75 ETH in your wallet').waitFor(SLOW)
    expect((await chain.eth(address)) - before).toBe(parseEther('0.75'))
    expect(faults).toEqual([])
  })
})
