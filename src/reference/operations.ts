import type { Operation } from './operation.ts'
import { adOperations } from './operations/ad-rental.ts'
import { authOperations } from './operations/auth.ts'
import { boxOperations } from './operations/box-nft.ts'
import { crashOperations } from './operations/crash.ts'
import { devOperations } from './operations/dev.ts'
import { entropyOperations } from './operations/entropy.ts'
import { lootboxOperations } from './operations/lootbox.ts'
import { operatorOperations } from './operations/operator.ts'
import { referenceOperations } from './operations/reference.ts'
import { rpcOperations } from './operations/rpc-proxy.ts'
import { walletOperations } from './operations/wallet-bridge.ts'

/** All operations of the service. */
export const OPERATIONS: Operation[] = [
  ...authOperations,
  ...crashOperations,
  ...entropyOperations,
  ...lootboxOperations,
  ...boxOperations,
  ...walletOperations,
  ...adOperations,
  ...rpcOperations,
  ...operatorOperations,
  ...referenceOperations,
  ...devOperations,
]
