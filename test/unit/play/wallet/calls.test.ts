import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  parseAbiParameters,
  toFunctionSelector,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { vaultAbi } from '../../../../src/chain/abi.ts'
import {
  callData,
  DEPOSITED_TOPIC,
  SELECTORS,
  textAt,
  topicOf,
  wordAt,
} from '../../../../src/play/wallet/calls.ts'

const USDG = '0x5FbDB2315678afecb367f032d93F642f64180aa3'

describe('contract calls', () => {
  it.each(Object.entries(SELECTORS))('%s begins with its selector', (signature, selector) => {
    expect(selector).toBe(toFunctionSelector(`function ${signature}`))
  })

  it('find the vault’s deposits of a player by the topics of their logs', () => {
    const args = { player: USDG, token: USDG } as const
    const topics = encodeEventTopics({ abi: vaultAbi, eventName: 'Deposited', args })
    expect([DEPOSITED_TOPIC, topicOf(USDG), topicOf(USDG)]).toEqual(topics)
  })

  it('encode the vault’s reads', () => {
    const [r, s] = [`0x${'a1'.repeat(32)}`, `0x${'0b'.repeat(32)}`] as const
    const data = callData(
      'depositWithPermit(address,uint256,uint256,uint8,bytes32,bytes32)',
      USDG,
      2n ** 255n,
      1_900_000_000,
      28,
      r,
      s,
    )
    expect(decodeFunctionData({ abi: vaultAbi, data: data as `0x${string}` })).toEqual({
      functionName: 'depositWithPermit',
      args: [USDG, 2n ** 255n, 1_900_000_000n, 28, r, s],
    })
  })

  it('decode words and strings', () => {
    const answer = encodeAbiParameters(parseAbiParameters('string, uint256, string'), [
      'Global Dollar: a name of more than thirty-two bytes',
      31_337n,
      '1',
    ])
    expect(textAt(answer, 0)).toBe('Global Dollar: a name of more than thirty-two bytes')
    expect(wordAt(answer, 1)).toBe(31_337n)
    expect(textAt(answer, 2)).toBe('1')
  })
})
