import { keccak_256 } from '@noble/hashes/sha3'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils'
import type { Hex } from 'viem'
import { privateKeyToAddress, sign, signMessage, signTypedData } from 'viem/accounts'
import type { DevAccount } from '../../api/dev/players.ts'
import { rpc } from './chain.ts'
import type { TransactionRequest, TypedData, Wallet } from './wallet.ts'

interface Fees {
  baseFeePerGas: Hex
}

/** A wallet with a publicly known key, for local play. */
export function developmentWallet({ privateKey }: DevAccount): Wallet {
  const address = privateKeyToAddress(privateKey)

  async function sendTransaction({ to, data, value }: TransactionRequest): Promise<string> {
    const call = { from: address, to, data, value: `0x${value.toString(16)}` }
    const [chainId, nonce, gas, block] = await Promise.all([
      rpc<Hex>('eth_chainId'),
      rpc<Hex>('eth_getTransactionCount', [address, 'pending']),
      rpc<Hex>('eth_estimateGas', [call]),
      rpc<Fees>('eth_getBlockByNumber', ['latest', false]),
    ])
    const tip = 1_000_000_000n
    const maxFee = BigInt(block.baseFeePerGas) * 2n + tip
    const numbers = [BigInt(chainId), BigInt(nonce), tip, maxFee, (BigInt(gas) * 5n) / 4n]
    const fields = [
      ...numbers.map(hexOf),
      to.slice(2).toLowerCase(),
      hexOf(value),
      data?.slice(2) ?? '',
    ]
    const raw = await signed(fields, privateKey)
    return rpc('eth_sendRawTransaction', [raw])
  }

  return {
    address,
    signMessage: (message) => signMessage({ message, privateKey }),
    signTypedData: (typed: TypedData) => signTypedData({ ...typed, privateKey } as never),
    sendTransaction,
  }
}

/** Signs a transaction of EIP-1559 without an access list. viem's signer takes 6 kB more, as it is for all types. */
async function signed(fields: readonly string[], privateKey: Hex): Promise<Hex> {
  const encoded = (signature: readonly string[]) => `02${rlp([...fields, [], ...signature])}`
  const hash: Hex = `0x${bytesToHex(keccak_256(hexToBytes(encoded([]))))}`
  const { r, s, yParity } = await sign({ hash, privateKey })
  return `0x${encoded([BigInt(yParity ?? 0), BigInt(r), BigInt(s)].map(hexOf))}`
}

type Item = string | readonly Item[]

/** Encodes bytes, as hex text without 0x, and lists of them as in RLP: appendix B of Ethereum's yellow paper. */
function rlp(item: Item): string {
  const isBytes = typeof item === 'string'
  const body = isBytes ? item : item.map(rlp).join('')
  const length = body.length / 2
  if (isBytes && length === 1 && Number(`0x${body}`) < 0x80) return body
  const base = isBytes ? 0x80 : 0xc0
  if (length < 56) return hexOf(BigInt(base + length)) + body
  const size = hexOf(BigInt(length))
  return hexOf(BigInt(base + 55 + size.length / 2)) + size + body
}

/** Returns a number as whole bytes in hex without leading zeros; empty for zero. */
function hexOf(value: bigint): string {
  const digits = value === 0n ? '' : value.toString(16)
  return digits.length % 2 === 0 ? digits : `0${digits}`
}
