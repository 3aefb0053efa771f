import type { PublicChain } from '../../vault/table-config.ts'
import { isContract, KEY_SIGNATURE } from '../wallet/account.ts'
import { callData, textAt, wordAt } from '../wallet/calls.ts'
import { rpc, waitForReceipt } from '../wallet/chain.ts'
import { send } from '../wallet/send.ts'
import { WalletError, type TypedData, type Wallet } from '../wallet/wallet.ts'

/** How long a permit stays valid. */
const PERMIT_TTL_SECONDS = 3_600

const PERMIT = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
]

/**
 * Returns the call that deposits USDG. A permit needs only a signature; if the token or the wallet doesn't
 * support permits, an approval is sent first.
 */
export async function usdgDepositCall(
  own: Wallet,
  { vault, usdg }: PublicChain,
  amountWei: bigint,
): Promise<string> {
  const permit = await signedPermit(own, vault, usdg, amountWei)
  if (!permit) {
    await approve(own.address, vault, usdg, amountWei)
    return callData('deposit(address,uint256)', usdg, amountWei)
  }
  const { deadline, signature } = permit
  const [r, s] = [`0x${signature.slice(2, 66)}`, `0x${signature.slice(66, 130)}`]
  // Some wallets return v as 0 or 1 instead of 27 or 28.
  const last = parseInt(signature.slice(130), 16)
  return callData(
    'depositWithPermit(address,uint256,uint256,uint8,bytes32,bytes32)',
    usdg,
    amountWei,
    deadline,
    last < 27 ? last + 27 : last,
    r,
    s,
  )
}

async function signedPermit(own: Wallet, spender: string, usdg: string, value: bigint) {
  const owner = own.address
  // Its signatures may look like a key's, but the token accepts only keys.
  if (await isContract(owner)) return null
  const domain = await permitDomain(usdg)
  if (!domain) return null
  const nonce = wordAt(await read(usdg, callData('nonces(address)', owner)), 0)
  const deadline = Math.floor(Date.now() / 1_000) + PERMIT_TTL_SECONDS
  const message = { owner, spender, value, nonce, deadline }
  const types = { Permit: PERMIT }
  const signature = await own.signTypedData({ domain, types, primaryType: 'Permit', message })
  return KEY_SIGNATURE.test(signature) ? { deadline, signature } : null
}

/** Returns the token's EIP-5267 domain; null if the token doesn't publish one, so that no permit can be signed. */
async function permitDomain(usdg: string): Promise<TypedData['domain'] | null> {
  try {
    const answer = await read(usdg, callData('eip712Domain()'))
    const [name, version] = [textAt(answer, 1), textAt(answer, 2)]
    return { name, version, chainId: Number(wordAt(answer, 3)), verifyingContract: usdg }
  } catch (fault) {
    if (fault instanceof WalletError) return null
    throw fault
  }
}

async function approve(owner: string, vault: string, usdg: string, amountWei: bigint) {
  const allowed = wordAt(await read(usdg, callData('allowance(address,address)', owner, vault)), 0)
  if (allowed >= amountWei) return
  const data = callData('approve(address,uint256)', vault, amountWei)
  await waitForReceipt(await send({ to: usdg, data, value: 0n }))
}

function read(to: string, data: string): Promise<string> {
  return rpc('eth_call', [{ to, data }, 'latest'])
}
