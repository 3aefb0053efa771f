import { TOKENS } from '../../money/token.ts'
import { exactAmount } from '../amounts.ts'

/** Formats an amount exactly: in whole tokens, or of another asset in its smallest unit. */
export function amountOf(amountWei: string, asset: string): string {
  const token = TOKENS.find((each) => each === asset)
  return token ? exactAmount(amountWei, token) : amountWei
}

/** Formats an amount as {@link amountOf} does, with the name of its asset. */
export function namedAmount(amountWei: string, asset: string): string {
  return `${amountOf(amountWei, asset)} ${asset}`
}
