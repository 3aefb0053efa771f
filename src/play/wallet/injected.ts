import { utf8 } from '../../core/utf8.ts'
import { ASK_AGAIN_MS, untilAnswered } from '../pause.ts'
import { rpc } from './chain.ts'
import {
  WalletError,
  type Provider,
  type TransactionRequest,
  type TypedData,
  type Wallet,
} from './wallet.ts'

const DOMAIN_TYPE = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** Returns the account that the player chooses in the wallet. */
export async function injectedWallet(provider: Provider): Promise<Wallet> {
  const ask = <T>(name: string, params: unknown[] = []): Promise<T> =>
    request<T>(provider, name, params)
  const [address] = await ask<string[]>('eth_requestAccounts')
  if (address === undefined)
    throw new WalletError('Your wallet has not connected an account to this site.')
  return {
    address,
    provider,
    signMessage: (text) => ask('personal_sign', [toHex(text), address]),
    async signTypedData(typed: TypedData) {
      await useChain(provider, typed.domain.chainId)
      const types = { EIP712Domain: DOMAIN_TYPE, ...typed.types }
      const text = JSON.stringify({ ...typed, types }, (_key, value: unknown) =>
        typeof value === 'bigint' ? value.toString() : value,
      )
      return ask('eth_signTypedData_v4', [address, text])
    },
    async sendTransaction({ to, data, value }: TransactionRequest, beforeAsked?: () => void) {
      // On another chain the same transaction would pay a stranger.
      const chainId = await rpc<string>('eth_chainId')
      await useChain(provider, Number(chainId))
      beforeAsked?.()
      const sent = { from: address, to, data, value: `0x${value.toString(16)}`, chainId }
      return ask('eth_sendTransaction', [sent])
    },
  }
}

/** Switches the wallet to a chain. It may ask the player. @throws WalletError if it stays on another one */
export async function useChain(provider: Provider, chainId: number): Promise<void> {
  const isThere = async () => Number(await request(provider, 'eth_chainId')) === chainId
  if (await isThere()) return
  const advice = `Your wallet is on another chain. Switch it to chain ${chainId}, which you may have to add, then try again.`
  const wanted = [{ chainId: `0x${chainId.toString(16)}` }]
  await request(provider, 'wallet_switchEthereumChain', wanted, advice)
  // A wallet may answer before it has switched, or without switching.
  const isSwitched = await untilAnswered(async () => (await isThere()) || null, ASK_AGAIN_MS)
  if (!isSwitched) throw new WalletError(advice)
}

/** The error codes of EIP-1193 that a player can act on. */
const REASONS: Record<number, string> = {
  4001: 'You declined in your wallet. Nothing was sent.',
  4100: 'This account is not connected. Connect it in your wallet first.',
  4900: 'Your wallet is not connected to its network.',
  [-32002]: 'Your wallet is waiting for your answer. Open it.',
}

/** @param advice the message for errors without a known code; the wallet's own message by default */
async function request<T>(
  provider: Provider,
  method: string,
  params: unknown[] = [],
  advice?: string,
): Promise<T> {
  try {
    return (await provider.request({ method, params })) as T
  } catch (fault) {
    const { code, message } = fault as { code?: number; message?: string }
    const reason = code === undefined ? undefined : REASONS[code]
    const words = advice ?? `Your wallet reported an error: ${message ?? 'unknown'}`
    throw new WalletError(reason ?? words, { cause: fault })
  }
}

function toHex(text: string): string {
  const bytes = utf8(text)
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
