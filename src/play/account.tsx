import { useRef, type FC } from 'hono/jsx/dom'
import { FUN, TOKENS } from '../money/token.ts'
import type { TermsSummary } from '../transparency/terms.ts'
import { Money } from './components/money.tsx'
import { Panel } from './components/panel.tsx'
import { Refusal } from './components/refusal.tsx'
import { offersFun } from './fun/fun.ts'
import { useEffect, useState } from './hooks.ts'
import { repeatedly } from './pause.ts'
import { SIGNATURE_LASTS } from './plain-words.ts'
import { cancelSignIn, playForFun, readMe, session, signIn, signOut } from './session.ts'
import { useStore } from './store.ts'
import type { ChooserProps } from './wallet/chooser.tsx'
import { announced, installedWallets } from './wallet/installed.ts'

const READ_EVERY_MS = 5_000

/**
 * Shows the player's chips and wallet, or the sign-in buttons.
 * @param isAtTable whether the view is the crash table, which shows an open bet and learns of its end
 */
export function Account({ isAtTable }: { isAtTable: boolean }) {
  const { credentials, player, me, problem } = useStore(session)
  const isInPlay = !isAtTable && Boolean(me?.openBet)
  useEffect(() => (isInPlay ? repeatedly(readMe, READ_EVERY_MS) : undefined), [isInPlay])
  return (
    <div class="account">
      {isInPlay && <a href="#/crash">In play</a>}
      {player && !credentials && <FunChips />}
      {credentials ? <SignedIn wallet={credentials.wallet} /> : <SignInButtons />}
      {problem && <Refusal problem={problem} token="ETH" />}
    </div>
  )
}

function FunChips() {
  const { me, withheldWei } = useStore(session)
  return (
    <div class="fun-chips" role="group" aria-label="Your fun chips">
      {me ? <Money amountWei={BigInt(me.chips.FUN ?? '0') - withheldWei.FUN} token={FUN} /> : '…'}
    </div>
  )
}

function SignedIn({ wallet }: { wallet: string }) {
  const { me, withheldWei, developmentPlayers } = useStore(session)
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => closeWhenLeft(menu.current), [])
  return (
    <>
      <ul class="chips" aria-label="Your chips">
        {TOKENS.map((token) => (
          <li key={token}>
            {me ? (
              <Money amountWei={BigInt(me.chips[token]) - withheldWei[token]} token={token} />
            ) : (
              '…'
            )}
          </li>
        ))}
      </ul>
      <details ref={menu} class="menu">
        <summary>
          <span class="visually-hidden">Wallet </span>
          {shortAddress(wallet)}
        </summary>
        <div class="menu-items">
          <p class="address">{wallet}</p>
          <a href="#/cashier">Cashier</a>
          <a href="#/activity">Activity</a>
          <a href="#/limits">Limits</a>
          <a href="#/permissions">Partner permissions</a>
          {(developmentPlayers ?? [])
            .filter(({ address }) => address !== wallet)
            .map((player) => (
              <button
                key={player.address}
                type="button"
                onClick={() => void signIn({ kind: 'development', player })}
              >
                Play as {shortAddress(player.address)}
              </button>
            ))}
          <button type="button" onClick={() => signOut()}>
            Sign out
          </button>
        </div>
      </details>
    </>
  )
}

/**
 * Closes a menu on a choice, on Escape, on a press outside, and on navigation.
 * @returns a function that removes these listeners
 */
function closeWhenLeft(menu: HTMLDetailsElement | null): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const close = () => {
    if (!menu?.open) return
    // Hiding the focused element would lose the focus.
    if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus()
    menu.open = false
  }
  const isInside = ({ target }: Event, part = '*') =>
    target instanceof Element && menu?.contains(target.closest(part)) === true
  addEventListener('click', (event) => isInside(event, '.menu-items :is(a, button)') && close(), {
    signal,
  })
  addEventListener('pointerdown', (event) => isInside(event) || close(), { signal })
  addEventListener('keydown', ({ key }) => key === 'Escape' && close(), { signal })
  addEventListener('hashchange', close, { signal })
  return () => ending.abort()
}

/** Signs in, or plays without a wallet where the terms offer it. @param terms undefined until they are known */
export function WaysToPlay({ terms }: { terms: TermsSummary | undefined }) {
  const { isSigningIn } = useStore(session)
  return (
    <>
      <SignInButtons />
      {/* A third button, besides the one that cancels, would cover the form on a phone. */}
      {offersFun(terms) && !isSigningIn && (
        <button type="button" class="try" onClick={() => void playForFun()}>
          Try with fun chips
        </button>
      )}
    </>
  )
}

/** Asks a player to sign in. @param toSee the view that they see afterwards, like `limits` */
export function SignInPanel({ toSee }: { toSee: string }) {
  return (
    <Panel title="Your wallet">
      <p>
        Sign in to see your {toSee}. {SIGNATURE_LASTS}
      </p>
      <div class="row">
        <SignInButtons />
      </div>
    </Panel>
  )
}

/** Signs in with one click and one signature a day. */
export function SignInButtons() {
  const { developmentPlayers, isSigningIn } = useStore(session)
  useStore(announced)
  // Buttons that appear one after another would move under the pointer.
  if (isSigningIn || !developmentPlayers) {
    return (
      <>
        <button type="button" class="primary" aria-disabled="true">
          {isSigningIn ? 'Signing in…' : 'Sign in'}
        </button>
        {isSigningIn && (
          <button type="button" onClick={cancelSignIn}>
            Cancel
          </button>
        )}
      </>
    )
  }
  const isLocal = developmentPlayers.length > 0
  return (
    <>
      {isLocal && (
        <button type="button" class="primary" onClick={() => void signIn({ kind: 'development' })}>
          Development wallet
        </button>
      )}
      {(installedWallets().length > 0 || !isLocal) && (
        <ConnectButton className={isLocal ? '' : 'primary'} />
      )}
    </>
  )
}

/** Signs in with the browser's wallet, or opens a choice if there are several or none. */
function ConnectButton({ className }: { className: string }) {
  const [isChoosing, setIsChoosing] = useState(false)
  const [loaded, setLoaded] = useState<{ Chooser: FC<ChooserProps> } | null>(null)
  const connect = () => {
    const [wallet, other] = installedWallets()
    if (wallet && !other) return void signIn({ kind: 'injected', wallet })
    setIsChoosing(true)
    void import('./wallet/chooser.tsx').then((module) => setLoaded({ Chooser: module.default }))
  }
  return (
    <>
      <button type="button" class={className} onClick={connect}>
        Connect wallet
      </button>
      {isChoosing && loaded && (
        <loaded.Chooser
          onChoose={(wallet) => void signIn({ kind: 'injected', wallet })}
          onClose={() => setIsChoosing(false)}
        />
      )}
    </>
  )
}

/** Shortens an address to the part that people compare: 0xf39F…2266. */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}
