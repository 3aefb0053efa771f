import { describe, expect, it } from 'vitest'
import { checkCall } from '../../../src/rpc-proxy/methods.ts'

const code = (method: string, params: unknown[], sendsTransactions = false) =>
  checkCall({ method, params }, { sendsTransactions })?.error.code

describe('a method', () => {
  it.each([
    'eth_accounts',
    'eth_coinbase',
    'eth_sign',
    'eth_signTransaction',
    'eth_sendTransaction',
    'personal_unlockAccount',
    'admin_peers',
    'debug_traceTransaction',
    'trace_block',
    'txpool_content',
    'miner_start',
    'engine_newPayloadV3',
    'eth_newFilter',
    'eth_newBlockFilter',
    'eth_newPendingTransactionFilter',
    'eth_getFilterChanges',
    'eth_getFilterLogs',
    'eth_uninstallFilter',
    'eth_subscribe',
    'eth_unsubscribe',
    'eth_createAccessList',
    'eth_simulateV1',
    'eth_sendRawTransaction',
    'web3_clientVersion',
    'net_peerCount',
    'anvil_setBalance',
    'evm_mine',
    'hardhat_reset',
    'ETH_CHAINID',
    ' eth_chainId',
    'constructor',
    '__proto__',
    'toString',
    '',
  ])('that is not listed is unknown: %s', (method) => {
    expect(code(method, [])).toBe(-32601)
  })

  it('accepts only its own number of parameters', () => {
    expect(code('eth_chainId', [])).toBeUndefined()
    expect(code('eth_chainId', [1])).toBe(-32602)
    expect(code('eth_getBalance', [])).toBe(-32602)
    expect(code('eth_getBalance', ['0x0'])).toBeUndefined()
    expect(code('eth_getBalance', ['0x0', 'latest', 1])).toBe(-32602)
  })

  it.each(['eth_call', 'eth_estimateGas'])('does not accept overrides: %s', (method) => {
    expect(code(method, [{}, 'latest'])).toBeUndefined()
    expect(code(method, [{}, 'latest', {}])).toBe(-32602)
    expect(code(method, [{}, 'latest', {}, {}])).toBe(-32602)
    expect(code(method, [{}, 'latest', null])).toBe(-32602)
  })

  it('sends transactions if that is enabled', () => {
    expect(code('eth_sendRawTransaction', ['0x00'], true)).toBeUndefined()
    expect(code('eth_sendTransaction', [{}], true)).toBe(-32601)
  })
})
