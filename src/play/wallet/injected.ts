import { rpc } from './chain.ts'
import { WalletError, type Transaction, type TypedData, type Wallet } from './wallet.ts'

/** EIP-1193, as far as the page uses it. */
export interface Provider {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>
}

/** The wallet that the browser brings, if it does. */
export function injectedProvider(): Provider | null {
  return (globalThis as { ethereum?: Provider }).ethereum ?? null
}

const DOMAIN_TYPE = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/**
 * The account that the player chooses in it.
 * @param method `eth_accounts` asks for what was allowed before, without a prompt
 */
export async function injectedWallet(
  provider: Provider,
  method: 'eth_requestAccounts' | 'eth_accounts' = 'eth_requestAccounts',
): Promise<Wallet> {
  const ask = <T>(name: string, params: unknown[] = []): Promise<T> =>
    request<T>(provider, name, params)
  const [address] = await ask<string[]>(method)
  if (address === undefined) throw new WalletError('The wallet has no account for this site.')
  return {
    address,
    signMessage: (text) => ask('personal_sign', [toHex(text), address]),
    async signTypedData(typed: TypedData) {
      await useChain(provider, typed.domain.chainId)
      const types = { EIP712Domain: DOMAIN_TYPE, ...typed.types }
      const text = JSON.stringify({ ...typed, types }, (_key, value: unknown) =>
        typeof value === 'bigint' ? value.toString() : value,
      )
      return ask('eth_signTypedData_v4', [address, text])
    },
    async sendTransaction({ to, data, value }: Transaction) {
      // On another chain the same transaction would pay a stranger.
      const chainId = await rpc<string>('eth_chainId')
      await useChain(provider, Number(chainId))
      const sent = { from: address, to, data, value: `0x${value.toString(16)}`, chainId }
      return ask('eth_sendTransaction', [sent])
    },
  }
}

/** Has the wallet work on a chain; it may ask the player. */
export async function useChain(provider: Provider, chainId: number): Promise<void> {
  const wanted = `0x${chainId.toString(16)}`
  if ((await request(provider, 'eth_chainId')) === wanted) return
  await request(provider, 'wallet_switchEthereumChain', [{ chainId: wanted }])
}

/** The codes of EIP-1193 and EIP-3326 that a player can do something about. */
const REASONS: Record<number, string> = {
  4001: 'You declined in your wallet. Nothing was done.',
  4100: 'The wallet does not allow this account here. Connect it first.',
  4900: 'The wallet is not connected to its network.',
  4902: 'The wallet does not know this chain. Add it there first.',
  [-32002]: 'The wallet is still asking you something. Open it and answer.',
}

async function request<T>(provider: Provider, method: string, params: unknown[] = []): Promise<T> {
  try {
    return (await provider.request({ method, params })) as T
  } catch (fault) {
    const { code, message } = fault as { code?: number; message?: string }
    const reason = code === undefined ? undefined : REASONS[code]
    throw new WalletError(reason ?? `The wallet said: ${message ?? 'no'}`, { cause: fault })
  }
}

function toHex(text: string): string {
  const bytes = new TextEncoder().encode(text)
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
