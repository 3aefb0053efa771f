import { exactAmount, shortAmount } from '../../amounts.ts'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { Parts } from '../../status/parts.tsx'
import type { ServiceState } from '../operator.ts'

/** Whether the service works, the reserve that pays, and stuck messages. */
export function Overview({ state }: { state: ServiceState }) {
  const { health, reserve, stuck, walletsInPlay } = state
  return (
    <>
      <Parts health={health} />
      {reserve && <Reserve reserve={reserve} />}
      {walletsInPlay !== null && (
        <Panel title="Before a deployment">
          <dl class="facts">
            <dt>Wallets with something in play, at most ten minutes ago</dt>
            <dd>{walletsInPlay}</dd>
          </dl>
        </Panel>
      )}
      <Panel title="Stuck messages">
        {stuck.length === 0 && <p class="empty">None: everything arrives.</p>}
        <ul class="acts">
          {stuck.map(({ class: kind, name, messages, since }) => (
            <li key={`${kind} ${name}`}>
              <strong>{kind}</strong> <span class="address">{name}</span>
              <p>
                {messages === 1 ? '1 message' : `${messages} messages`}, since <Time at={since} />
              </p>
            </li>
          ))}
        </ul>
      </Panel>
    </>
  )
}

function Reserve({ reserve }: { reserve: NonNullable<ServiceState['reserve']> }) {
  const { balanceWei, reserveWei, poolWei, isVaultPaused, withdrawalsWaiting, prizesWaiting } =
    reserve
  const isLow = balanceWei !== null && BigInt(balanceWei) < BigInt(reserveWei)
  return (
    <Panel title="Relayer">
      <dl class="facts">
        <dt>Balance</dt>
        <dd class={isLow ? 'bad' : ''}>
          {balanceWei === null ? 'unknown' : `${shortAmount(balanceWei, 'ETH')} ETH`}
        </dd>
        <dt>Reserve</dt>
        <dd>{exactAmount(reserveWei, 'ETH')} ETH</dd>
        <dt>Withdrawals to pay</dt>
        <dd>
          <a href="#/stuck">{withdrawalsWaiting}</a>
        </dd>
        <dt>Prizes to pay</dt>
        <dd>
          <a href="#/stuck">{prizesWaiting}</a>
        </dd>
        {poolWei && (
          <>
            <dt>Prize pool</dt>
            <dd>
              {exactAmount(poolWei.ETH, 'ETH')} ETH, {exactAmount(poolWei.REWARD, 'ETH')} reward
              tokens
            </dd>
          </>
        )}
        <dt>Vault</dt>
        <dd class={isVaultPaused ? 'bad' : ''}>{isVaultPaused ? 'paused' : 'open'}</dd>
      </dl>
    </Panel>
  )
}
