import type { Cast } from '../actors.ts'
import { post } from '../recording.ts'

const PATH = '/api/rpc'

const call = (method: string, params: unknown = [], id: unknown = 1) => ({
  ...{ jsonrpc: '2.0', id, method, params },
})

/** JSON-RPC through the proxy: every method, batches and malformed calls. */
export async function rpc({ recorder, manifest, chain, players }: Cast): Promise<void> {
  const [player, other] = players
  const { usdg, vault } = manifest.contracts
  const hash = await chain.pay(player, { to: other.address, value: 1n })
  const block = await recorder.send(post(PATH, call('eth_getTransactionByHash', [hash])))
  const { result: mined } = JSON.parse(block.body) as {
    result: { blockHash: string; blockNumber: string }
  }
  const supply = { to: usdg, data: '0x18160ddd' }
  const calls: [method: string, ...params: unknown[]][] = [
    ['eth_chainId'],
    ['net_version'],
    ['eth_blockNumber'],
    ['eth_gasPrice'],
    ['eth_maxPriorityFeePerGas'],
    ['eth_blobBaseFee'],
    ['eth_feeHistory', '0x1', 'latest', [50]],
    ['eth_getBalance', vault, 'latest'],
    ['eth_getCode', vault, 'latest'],
    ['eth_getTransactionCount', other.address, 'latest'],
    ['eth_getStorageAt', vault, '0x0', 'latest'],
    ['eth_getProof', other.address, [], 'latest'],
    ['eth_call', supply, 'latest'],
    ['eth_estimateGas', { from: player.address, to: other.address, value: '0x1' }],
    ['eth_getBlockByNumber', '0x1', false],
    ['eth_getBlockByHash', mined.blockHash, false],
    ['eth_getBlockReceipts', mined.blockNumber],
    ['eth_getBlockTransactionCountByNumber', mined.blockNumber],
    ['eth_getBlockTransactionCountByHash', mined.blockHash],
    ['eth_getTransactionByHash', hash],
    ['eth_getTransactionByBlockNumberAndIndex', mined.blockNumber, '0x0'],
    ['eth_getTransactionByBlockHashAndIndex', mined.blockHash, '0x0'],
    ['eth_getTransactionReceipt', hash],
    ['eth_getLogs', { address: vault, fromBlock: '0x0', toBlock: '0x5' }],
  ]
  for (const [method, ...params] of calls)
    await recorder.ask(method, post(PATH, call(method, params)))

  const batch = [call('eth_chainId'), call('none', [], 2), 5, call('net_version', [], 'x')]
  const wide = { fromBlock: '0x0', toBlock: '0xffff' }
  const malformed: Record<string, object | string> = {
    'a malformed raw transaction': call('eth_sendRawTransaction', ['0x12']),
    'an unknown method': call('eth_accounts'),
    'too few parameters': call('eth_getBalance'),
    'an exact id': '{"jsonrpc":"2.0","id":1.0,"method":"eth_chainId"}',
    'an id of an object': call('eth_chainId', [], {}),
    'a notification': { jsonrpc: '2.0', method: 'eth_chainId' },
    'a batch': batch,
    'an empty batch': [],
    'no JSON': '{',
    'too large a body': `"${'a'.repeat(70_000)}"`,
    'logs of too many blocks': call('eth_getLogs', [wide]),
  }
  for (const [name, body] of Object.entries(malformed)) await recorder.ask(name, post(PATH, body))

  const preflight = (origin: string) => ({
    ...{ method: 'OPTIONS', path: PATH },
    headers: { origin, 'access-control-request-method': 'POST' },
  })
  const text = { 'content-type': 'text/plain', origin: 'https://elsewhere.example' }
  await recorder.askAll({
    'the chain by its id': post(`${PATH}?chain=${manifest.chainId}`, call('eth_chainId')),
    'another chain': post(`${PATH}?chain=1`, call('eth_chainId')),
    'a preflight': preflight(manifest.baseUrl),
    "a preflight of another site's": preflight('https://elsewhere.example'),
    'a call of another type': post(PATH, JSON.stringify(call('net_version')), text),
  })
}
