import { TAGS, type Operation, type TagOperation } from './operation.ts'
import { adOperations } from './operations/ad-rental.ts'
import { authOperations } from './operations/auth.ts'
import { boxOperations } from './operations/box-nft.ts'
import { crashOperations } from './operations/crash.ts'
import { devOperations } from './operations/dev.ts'
import { entropyOperations } from './operations/entropy.ts'
import { fairnessOperations } from './operations/fairness.ts'
import { healthOperations } from './operations/health.ts'
import { historyOperations } from './operations/history.ts'
import { logOperations } from './operations/log.ts'
import { lootboxOperations } from './operations/lootbox.ts'
import { operatorOperations } from './operations/operator.ts'
import { protectionOperations } from './operations/protection.ts'
import { referenceOperations } from './operations/reference.ts'
import { rpcOperations } from './operations/rpc-proxy.ts'
import { solvencyOperations } from './operations/solvency.ts'
import { walletOperations } from './operations/wallet-bridge.ts'

const OPERATIONS_OF: Record<Operation['tag'], TagOperation[]> = {
  'Sign-in': authOperations,
  Crash: crashOperations,
  Entropy: entropyOperations,
  Protection: protectionOperations,
  Lootbox: lootboxOperations,
  'Box NFT': boxOperations,
  Fairness: fairnessOperations,
  History: historyOperations,
  'Wallet bridge': walletOperations,
  'Ad rental': adOperations,
  Log: logOperations,
  'RPC proxy': rpcOperations,
  Solvency: solvencyOperations,
  Health: healthOperations,
  Operation: operatorOperations,
  Reference: referenceOperations,
  'Local play': devOperations,
}

/** All operations of the service, in the order of their tags. */
export const OPERATIONS = (Object.keys(TAGS) as Operation['tag'][]).flatMap((tag): Operation[] =>
  OPERATIONS_OF[tag].map((operation) => ({
    ...operation,
    tag,
    calls: 'calls' in operation ? operation.calls : [operation],
  })),
)
