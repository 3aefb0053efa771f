import { hashTypedData, zeroAddress, type Hash } from 'viem'
import type { Config } from '../config/config.ts'
import type { Act } from '../operator/act.ts'
import { actTypedData, type ActScope } from '../operator/typed-data.ts'

/** Returns the scope that operators sign this service's acts for. */
export function actScope({
  operatorSite,
  vault,
}: Pick<Config, 'operatorSite' | 'vault'>): ActScope {
  const { origin: site, chainId } = operatorSite
  return { site, chainId, verifyingContract: vault?.address ?? zeroAddress }
}

/** Returns the EIP-712 hash of an act, which operators sign and which names it. */
export function actHash(scope: ActScope, act: Act): Hash {
  return hashTypedData(actTypedData(scope, act))
}
