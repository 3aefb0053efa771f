import { parseTransaction, recoverTransactionAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect, it, vi } from 'vitest'
import { developmentWallet } from '../../../../src/play/wallet/development.ts'

const PRIVATE_KEY = `0x${'7c'.repeat(32)}` as const
const TO = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

afterEach(() => void vi.unstubAllGlobals())

it.each([
  ['with a value', { value: 10n ** 18n }, '0x0'],
  ['without one', { value: 0n }, '0x7f'],
  ['with little data', { value: 1n, data: '0x05' }, '0x80'],
  ['with much data', { value: 1n, data: `0x${'ab'.repeat(1_000)}` }, '0x1234'],
] as const)('a transaction %s is signed as viem signs it', async (_, fields, nonce) => {
  const sent: string[] = []
  vi.stubGlobal('fetch', async (_path: string, { body }: { body: string }) => {
    const { id, method, params } = JSON.parse(body)
    if (method === 'eth_sendRawTransaction') sent.push(params[0])
    const results: Record<string, unknown> = {
      eth_chainId: '0x7a69',
      eth_getTransactionCount: nonce,
      eth_estimateGas: '0x5208',
      eth_getBlockByNumber: { baseFeePerGas: '0x3b9aca00' },
    }
    return Response.json({ jsonrpc: '2.0', id, result: results[method] ?? '0xhash' })
  })
  const account = privateKeyToAccount(PRIVATE_KEY)
  const wallet = developmentWallet({ privateKey: PRIVATE_KEY } as never)
  await wallet.sendTransaction({ to: TO, ...fields } as never)
  const [raw = '0x'] = sent as `0x02${string}`[]
  const parsed = parseTransaction(raw as `0x02${string}`)
  const signed = await account.signTransaction({
    chainId: 31_337,
    nonce: Number(nonce),
    gas: 26_250n,
    to: TO,
    ...fields,
    maxPriorityFeePerGas: 1_000_000_000n,
    maxFeePerGas: 3_000_000_000n,
  })
  expect(raw).toBe(signed)
  expect(parsed.value ?? 0n).toBe(fields.value)
  expect(await recoverTransactionAddress({ serializedTransaction: raw as never })).toBe(
    account.address,
  )
  expect(wallet.address).toBe(account.address)
})
