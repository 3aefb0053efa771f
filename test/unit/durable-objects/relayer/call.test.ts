import { decodeFunctionData, type Address } from 'viem'
import { expect, it } from 'vitest'
import { callOf } from '../../../../durable-objects/relayer/call.ts'
import { vaultAbi } from '../../../../src/chain/abi.ts'
import type { Config, VaultConfig } from '../../../../src/config/config.ts'

const [OLD, NEW, PLAYER]: Address[] = [
  `0x${'1'.repeat(40)}`,
  `0x${'2'.repeat(40)}`,
  `0x${'3'.repeat(40)}`,
]

it('burns a nonce in the vault that its withdrawal was signed for, even after a change of vault', async () => {
  const vault = { id: `1:${NEW}`, address: NEW } as VaultConfig
  const { to, data } = await callOf({ vault, lootbox: null } as Config, {
    step: 'burn',
    order: {
      kind: 'withdrawal',
      vaultId: `1:${OLD}`,
      player: PLAYER!,
      token: 'ETH',
      amountWei: '1',
      nonce: 7,
      signature: '0x',
      isSmall: false,
    },
  })
  expect(to).toBe(OLD)
  const { functionName, args } = decodeFunctionData({ abi: vaultAbi, data })
  expect([functionName, ...(args ?? [])]).toEqual(['burnNonce', PLAYER, 7n])
})
