import { expectedValue } from '../../lootbox/prizes.ts'
import { SignInButtons } from '../account.tsx'
import { assetAmount } from '../assets.ts'
import { HelpLink } from '../components/average.tsx'
import { Money } from '../components/money.tsx'
import { Panel } from '../components/panel.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Steps } from '../components/steps.tsx'
import { useEffect } from '../hooks.ts'
import { PrizeTable } from '../lootbox/prizes.tsx'
import { rarity } from '../lootbox/rarity.ts'
import { BoxPicture } from '../lootbox/won.tsx'
import { repeatedly } from '../pause.ts'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { buyBox, cancelBox, claimBox, clearStage, revealBox, useBoxAction } from './actions.ts'
import { readMore, readShop, shopping, type Box, type Kind, type Shop } from './shop.ts'

const READ_EVERY_MS = 15_000

export default function Boxes() {
  const owner = useStore(session).credentials?.wallet
  const { shop, problem } = useStore(shopping)
  useEffect(() => {
    if (shopping.value.owner !== owner) clearStage()
    return repeatedly(readShop, READ_EVERY_MS)
  }, [owner])
  return (
    <div class="prizes">
      <h1>Boxes</h1>
      {!shop && <Refusal problem={problem} token="ETH" />}
      {!shop && !problem && <p class="loading">Loading…</p>}
      {shop && (
        <div class="panels">
          <div class="column">
            <Counter {...shop} isSignedIn={owner !== undefined} />
          </div>
          <div class="column">
            {shop.kinds.map((kind) => (
              <Odds key={kind.kind} kind={kind} count={shop.kinds.length} />
            ))}
            {owner !== undefined && <OwnBoxes {...shop} />}
          </div>
        </div>
      )}
    </div>
  )
}

/** Where a player buys, reveals and claims a box, with one wallet confirmation each. */
function Counter({ kinds, boxes, isSignedIn }: Shop & { isSignedIn: boolean }) {
  const { boxId, action, step, problem } = useBoxAction()
  const box = boxes.find((each) => each.boxId === boxId) ?? null
  const reached = box === null ? 0 : box.claimed ? 3 : box.state === 'revealed' ? 2 : 1
  return (
    <Panel title="Buy, reveal, claim">
      <div class="stack">
        <Stage box={box} kinds={kinds} />
        <Steps
          label="Progress of the box"
          steps={DONE}
          waits={WAITS}
          current={reached}
          isAtWork={action !== null}
        />
        {isSignedIn ? (
          <NextAction box={box} kinds={kinds} />
        ) : (
          <div class="row">
            <SignInButtons />
          </div>
        )}
        {step === 'wallet' && (
          <button type="button" onClick={cancelBox}>
            Cancel
          </button>
        )}
        <Refusal problem={problem} token="ETH" />
        {box && !action && reached < 3 && <BuyButtons kinds={kinds} isSmall />}
        <p class="muted">
          Each box takes three wallet confirmations. Its prize follows from its number and a secret
          that was fixed before the sale. Once the secret is published, anyone can check it.
        </p>
      </div>
    </Panel>
  )
}

const DONE = ['Bought', 'Revealed', 'Claimed']
const WAITS = ['Buy: step 1 of 3', 'Reveal: step 2 of 3', 'Claim: step 3 of 3']

function Stage({ box, kinds }: { box: Box | null; kinds: Kind[] }) {
  const { action, step } = useBoxAction()
  const won = box && tierOf(box, kinds)
  const colour = won && rarity(won.tier, won.odds)
  const work = action === 'reveal' || action === 'buy' ? 'waiting' : ''
  return (
    <div class={`box-stage ${won ? `opened ${colour}` : work}`}>
      <BoxPicture />
      {action && (
        <p class="muted" role="status">
          {step === 'wallet' ? 'Confirm in your wallet…' : 'Sent. Waiting for the chain…'}
        </p>
      )}
      {won && box && (
        <div class="won-prize" key={box.boxId}>
          <p class="label">{won.label}</p>
          <p class="amount">{assetAmount(box.prize ?? '0', 'REWARD')}</p>
          {box.claimed && <p class="good">Sent to your wallet</p>}
        </div>
      )}
    </div>
  )
}

/** The next action for the box on the stage. Without an unclaimed box, the player can buy one. */
function NextAction({ box, kinds }: { box: Box | null; kinds: Kind[] }) {
  const { action } = useBoxAction()
  if (!box || box.claimed) return <BuyButtons kinds={kinds} />
  const [name, act] =
    box.state === 'closed' ? (['Reveal', revealBox] as const) : (['Claim', claimBox] as const)
  return (
    <button
      type="button"
      class="primary wide"
      aria-disabled={action ? 'true' : 'false'}
      onClick={() => void (action ?? act(box.boxId))}
    >
      {action ? `${name}…` : `${name} · step ${name === 'Reveal' ? 2 : 3} of 3`}
    </button>
  )
}

function BuyButtons({ kinds, isSmall = false }: { kinds: Kind[]; isSmall?: boolean }) {
  const { action } = useBoxAction()
  const sold = kinds.filter(({ isForSale }) => isForSale)
  if (sold.length === 0) return <p>No boxes are for sale at the moment.</p>
  return (
    <>
      {sold.map(({ kind, price }) => (
        <button
          key={kind}
          type="button"
          class={isSmall ? '' : 'primary wide'}
          aria-disabled={action ? 'true' : 'false'}
          onClick={() => void (action ?? buyBox(kind))}
        >
          {action === 'buy' ? (
            'Buying…'
          ) : (
            <>
              Buy {isSmall ? 'another' : nameOf(kind, kinds.length)} for{' '}
              <Money amountWei={price} token="ETH" />
            </>
          )}
        </button>
      ))}
    </>
  )
}

function Odds({ kind: { kind, tiers, price }, count }: { kind: Kind; count: number }) {
  const prizes = tiers.map((tier) => ({ ...tier, asset: 'REWARD', amountWei: tier.prize }))
  return (
    <Panel title={`Prizes in ${nameOf(kind, count)}`}>
      <div class="stack">
        <PrizeTable
          caption="Prizes in the box"
          prizes={prizes}
          expectedValue={expectedValue(prizes)}
          priceWei={price}
          won={null}
        />
        <p>
          <HelpLink game="boxes" />
        </p>
      </div>
    </Panel>
  )
}

function OwnBoxes({ kinds, boxes, stats, next }: Shop) {
  const { isReading, problem } = useStore(shopping)
  return (
    <Panel title="Your boxes">
      <p class="muted stats">
        {stats.bought} bought · {stats.revealed} revealed · {stats.claimed} claimed
      </p>
      <ul class="rows">
        {boxes.map((box) => (
          <BoxRow key={box.boxId} box={box} kinds={kinds} />
        ))}
      </ul>
      <Refusal problem={problem} token="ETH" />
      {next !== null && (
        <button type="button" aria-disabled={isReading} onClick={() => void readMore()}>
          {isReading ? 'Reading…' : 'Show more'}
        </button>
      )}
    </Panel>
  )
}

function BoxRow({ box, kinds }: { box: Box; kinds: Kind[] }) {
  const { action } = useBoxAction()
  const { boxId, state, prize, claimed } = box
  const won = tierOf(box, kinds)
  const act = state === 'closed' ? revealBox : claimBox
  return (
    <li>
      <span class="what">
        <strong>{won ? assetAmount(prize ?? '0', 'REWARD') : 'Closed box'}</strong>
        <span class="muted" title={boxId}>
          {won ? `${won.label} · ` : ''}No. {boxId.length > 8 ? `…${boxId.slice(-6)}` : boxId}
        </span>
      </span>
      {claimed ? (
        <span class="state good">Claimed</span>
      ) : (
        <button
          type="button"
          class="small"
          aria-disabled={action ? 'true' : 'false'}
          onClick={() => void (action ?? act(boxId))}
        >
          {state === 'closed' ? 'Reveal' : 'Claim'}
        </button>
      )}
      {won && (
        <span class="links">
          <a href={`#/verify/box/${boxId}`}>Verify</a>
        </span>
      )}
    </li>
  )
}

function tierOf({ kind, tier }: Box, kinds: Kind[]) {
  const tiers = kinds.find((each) => each.kind === kind)?.tiers ?? []
  const won = tier === null ? undefined : tiers[tier]
  return won && tier !== null ? { ...won, tier, odds: tiers.map(({ bps }) => bps) } : null
}

function nameOf(kind: number, count: number): string {
  return count > 1 ? `a box of kind ${kind}` : 'a box'
}
