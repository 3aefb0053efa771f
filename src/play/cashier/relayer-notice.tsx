import { shortAddress } from '../account.tsx'
import { Time } from '../components/time.tsx'
import { session } from '../session.ts'
import { useStore } from '../store.ts'

/** Warns of an announced relayer, which could take everything in the vault, while there is time to withdraw. */
export function RelayerNotice() {
  const { nextRelayer } = useStore(session)
  if (!nextRelayer) return null
  const { address, from } = nextRelayer
  return (
    <aside class="warning" aria-label="An announced relayer">
      <p role="alert">
        From <Time at={from} />, another account ({shortAddress(address)}) can take everything in
        the vault. Unless we have told you why, withdraw before then.
      </p>
      <a href="#/cashier">Withdraw</a>
    </aside>
  )
}
