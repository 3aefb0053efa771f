import type { Cast } from '../actors.ts'
import { post } from '../recording.ts'

const PATH = '/api/rpc'
const NO_HASH = `0x${'33'.repeat(32)}`

/** JSON-RPC through the proxy: every method, batches and malformed calls. */
export async function rpc({ recorder, manifest, chain, players }: Cast): Promise<void> {
  const [player, other] = players
  if (!player || !other) return
  const { usdg, vault } = manifest.contracts
  const call = (method: string, params: unknown = [], id: unknown = 1) => ({
    jsonrpc: '2.0',
    id,
    method,
    params,
  })
  const ask = (name: string, body: object | string) => recorder.ask(name, post(PATH, body))
  const hash = await chain.pay(player, { to: other.address, value: 1n })
  const block = await recorder.send(post(PATH, call('eth_getTransactionByHash', [hash])))
  const { result: mined } = JSON.parse(block.body) as {
    result: { blockHash: string; blockNumber: string }
  }
  const supply = { to: usdg, data: '0x18160ddd' }
  const filter = { address: vault, fromBlock: '0x0', toBlock: '0x5' }
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
    ['eth_getLogs', filter],
  ]
  for (const [method, ...params] of calls) await ask(method, call(method, params))

  await ask('an unknown transaction', call('eth_getTransactionByHash', [NO_HASH]))
  await ask('a malformed raw transaction', call('eth_sendRawTransaction', ['0x12']))
  await ask('an unknown method', call('eth_accounts'))
  await ask('too few parameters', call('eth_getBalance'))
  await ask('too many parameters', call('eth_call', [supply, 'latest', {}]))
  await ask('parameters by name', call('eth_call', { to: usdg }))
  await ask('no parameters', { jsonrpc: '2.0', id: 'text', method: 'eth_chainId' })
  await ask('an exact id', '{"jsonrpc":"2.0","id":1.0,"method":"eth_chainId"}')
  await ask('an id of null', call('eth_chainId', [], null))
  await ask('an id of an object', call('eth_chainId', [], {}))
  await ask('another version', { ...call('eth_chainId'), jsonrpc: '1.0' })
  await ask('no method', { jsonrpc: '2.0', id: 1 })
  await ask('a notification', { jsonrpc: '2.0', method: 'eth_chainId' })
  await ask('a batch', [call('eth_chainId'), call('none', [], 2), 5, call('net_version', [], 'x')])
  await ask('a batch of notifications', [{ jsonrpc: '2.0', method: 'eth_chainId' }])
  await ask('an empty batch', [])
  await ask(
    'a batch of too many',
    Array.from({ length: 21 }, () => call('eth_chainId')),
  )
  await ask('no JSON', '{')
  await ask('a key twice', '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"eth_chainId"}')
  await ask('too large a body', `"${'a'.repeat(70_000)}"`)
  await ask(
    'logs of too many blocks',
    call('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0xffff' }]),
  )
  await ask('logs of a malformed block', call('eth_getLogs', [{ fromBlock: 'first' }]))

  const named = (chainId: string) => post(`${PATH}?chain=${chainId}`, call('eth_chainId'))
  await recorder.ask('the chain by its id', named(String(manifest.chainId)))
  await recorder.ask('another chain', named('1'))
  await recorder.ask('a malformed chain', named('one'))
  const preflight = (origin: string) => ({
    method: 'OPTIONS',
    path: PATH,
    headers: { origin, 'access-control-request-method': 'POST' },
  })
  await recorder.ask('a preflight', preflight(manifest.baseUrl))
  await recorder.ask("a preflight of another site's", preflight('https://elsewhere.example'))
  const text = { 'content-type': 'text/plain', origin: 'https://elsewhere.example' }
  await recorder.ask(
    'a call of another type',
    post(PATH, JSON.stringify(call('net_version')), text),
  )
}
