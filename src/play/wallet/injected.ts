import { utf8 } from '../../core/utf8.ts'
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

/** Switches the wallet to a chain. It may ask the player. */
export async function useChain(provider: Provider, chainId: number): Promise<void> {
  const wanted = `0x${chainId.toString(16)}`
  if ((await request(provider, 'eth_chainId')) === wanted) return
  await request(provider, 'wallet_switchEthereumChain', [{ chainId: wanted }])
}

/** The error codes of EIP-1193 and EIP-3326 that a player can act on. */
const REASONS: Record<number, string> = {
  4001: 'You declined in your wallet. Nothing was sent.',
  4100: 'This account is not connected. Connect it in your wallet first.',
  4900: 'Your wallet is not connected to its network.',
  4902: 'Your wallet does not know this chain. Add it in your wallet first.',
  [-32002]: 'Your wallet is waiting for your answer. Open it.',
}

async function request<T>(provider: Provider, method: string, params: unknown[] = []): Promise<T> {
  try {
    return (await provider.request({ method, params })) as T
  } catch (fault) {
    const { code, message } = fault as { code?: number; message?: string }
    const reason = code === undefined ? undefined : REASONS[code]
    throw new WalletError(reason ?? `Your wallet reported an error: ${message ?? 'unknown'}`, {
      cause: fault,
    })
  }
}

function toHex(text: string): string {
  const bytes = utf8(text)
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
