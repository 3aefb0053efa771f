import { SignInPanel } from '../account.tsx'
import { Money } from '../components/money.tsx'
import { Panel } from '../components/panel.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Time } from '../components/time.tsx'
import { useEffect } from '../hooks.ts'
import { repeatedly } from '../pause.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { GrantForm } from './grant-form.tsx'
import {
  permitting,
  readPermissions,
  revokePermission,
  type PartnerPermission,
} from './permissions.ts'

const READ_EVERY_MS = 5_000

export default function Permissions() {
  const owner = useStore(session).credentials?.wallet
  const { permissions, problem, problemOf } = useStore(permitting)
  useEffect(() => {
    if (owner === undefined) return
    return repeatedly(readPermissions, READ_EVERY_MS)
  }, [owner])
  return (
    <div class="prizes">
      <h1>Partner permissions</h1>
      <p class="lead">
        Partners are other platforms that can see your balance and use your chips. See what each
        partner can take, allow it, or revoke it at any time.
      </p>
      {owner === undefined ? (
        <SignInPanel toSee="permissions" />
      ) : (
        <>
          <Refusal problem={problemOf === null ? problem : null} token="ETH" />
          {permissions ? <Partners permissions={permissions} /> : <p class="loading">Loading…</p>}
        </>
      )}
    </div>
  )
}

function Partners({ permissions }: { permissions: PartnerPermission[] }) {
  const partners = [...new Set(permissions.map(({ partner }) => partner))]
  if (partners.length === 0) return <p class="empty">This site has no partners.</p>
  return (
    <div class="panels">
      {partners.map((partner) => {
        const own = permissions.filter((permission) => permission.partner === partner)
        return (
          <Panel key={partner} title={partner}>
            <div class="stack">
              <ul class="permissions">
                {own.map((permission) => (
                  <Shown key={permission.token} permission={permission} />
                ))}
              </ul>
              {own.some(({ consent }) => consent === 'required') ? (
                <GrantForm partner={partner} />
              ) : (
                <p class="muted">The operator lets this partner take chips without asking you.</p>
              )}
            </div>
          </Panel>
        )
      })}
    </div>
  )
}

/** Shows the amount of one token that a partner can take, and the amount taken. */
function Shown({ permission }: { permission: PartnerPermission }) {
  const { partner, token, maxPerDayWei, usedWei, consent } = permission
  const isGranted = consent === 'required' && maxPerDayWei !== '0'
  return (
    <li>
      <div>
        <p>
          <Leave permission={permission} />
        </p>
        <p class="muted">
          Taken in the last 24 hours: <Money amountWei={usedWei} token={token} />
        </p>
      </div>
      {isGranted && (
        <button
          type="button"
          class="small"
          aria-label={`Revoke ${token} for ${partner}`}
          onClick={() => void revokePermission(partner, token)}
        >
          Revoke
        </button>
      )}
    </li>
  )
}

function Leave({ permission }: { permission: PartnerPermission }) {
  const { token, maxPerDayWei, maxPerHourWei, expiresAt, consent, debits } = permission
  if (!debits) return <>The operator has stopped this partner from taking {token}.</>
  if (consent === 'implied') {
    return (
      <>
        Can take up to <Money amountWei={maxPerHourWei} token={token} /> per hour
      </>
    )
  }
  if (expiresAt === null) return <>Cannot take {token}</>
  const until = <Time at={expiresAt * 1000} />
  if (expiresAt * 1000 <= Date.now()) {
    return (
      <>
        Cannot take {token}: your permission expired on {until}
      </>
    )
  }
  return (
    <>
      Can take up to <Money amountWei={maxPerDayWei} token={token} /> in 24 hours, until {until}
    </>
  )
}
