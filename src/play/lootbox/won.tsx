import { isSpin } from '../../lootbox/spin.ts'
import { assetAmount } from '../assets.ts'
import { Transaction } from '../components/copied.tsx'
import { kept } from '../keepsakes.ts'
import { openOf, type Open, type State } from './opening.ts'
import { rarity } from './rarity.ts'
import { decimalsOf, type LootboxAnswer } from './terms.ts'

/** The box: closed, at work, or open with its prize. */
export function BoxStage({ state, terms }: { state: State; terms: LootboxAnswer }) {
  const open = openOf(state)
  const look = open ? `opened ${rarity(open.tier, open.odds)}` : state.step
  return (
    <div class={`box-stage ${look}`}>
      <BoxPicture />
      {open && <Prize key={open.id} open={open} terms={terms} />}
    </div>
  )
}

/** The style sheet animates its lid and glow. */
export function BoxPicture() {
  return (
    <svg class="box-picture" viewBox="0 0 160 150" width="160" height="150" aria-hidden="true">
      <ellipse class="glow" cx="80" cy="66" rx="74" ry="60" />
      <path class="body" d="M24 66h112v66a10 10 0 0 1-10 10H34a10 10 0 0 1-10-10z" />
      <path class="band" d="M70 66h20v76H70z" />
      <g class="lid">
        <path class="top-of-box" d="M16 44a8 8 0 0 1 8-8h112a8 8 0 0 1 8 8v22H16z" />
        <path class="band" d="M70 36h20v30H70z" />
        <path
          class="bow"
          d="M80 36C66 8 36 14 48 30c6 8 20 6 32 6zm0 0c14-28 44-22 32-6-6 8-20 6-32 6z"
        />
      </g>
    </svg>
  )
}

function Prize({ open, terms }: { open: Open; terms: LootboxAnswer }) {
  const { label, prize, asset, status, prizeTxHash } = open
  return (
    <div class="won-prize">
      <p class="label">{label}</p>
      <p class="amount">{assetAmount(prize, asset, decimalsOf(terms, asset))}</p>
      <p class={status === 'paid' ? 'good' : 'muted'}>
        {status === 'paid' ? 'Sent to your wallet' : 'Being sent to your wallet…'}
      </p>
      <p class="row">
        {prizeTxHash && <Transaction hash={prizeTxHash} />}
        <VerifyLink id={open.id} />
      </p>
    </div>
  )
}

/** Only the browser that took a free spin can verify it. */
export function VerifyLink({ id }: { id: string }) {
  if (isSpin(id) && !kept('openings', id)) return null
  return <a href={`#/verify/opening/${encodeURIComponent(id)}`}>Verify</a>
}
