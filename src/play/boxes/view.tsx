import { expectedValue } from '../../lootbox/prizes.ts'
import { SignInButtons } from '../account.tsx'
import { assetAmount } from '../assets.ts'
import { Money } from '../components/money.tsx'
import { Panel } from '../components/panel.tsx'
import { Refusal } from '../components/refusal.tsx'
import { Steps } from '../components/steps.tsx'
import { PrizeTable } from '../lootbox/prizes.tsx'
import { rarity } from '../lootbox/rarity.ts'
import { BoxPicture } from '../lootbox/won.tsx'
import { session } from '../session.ts'
import { useStore } from '../store.ts'
import { buyBox, claimBox, clearStage, revealBox, useDeed } from './deeds.ts'
import { readShop, shopping, type Box, type Kind } from './shop.ts'
import { useEffect } from '../hooks.ts'

const READ_EVERY_MS = 15_000

export default function Boxes() {
  const owner = useStore(session).credentials?.wallet
  const { shop, problem } = useStore(shopping)
  useEffect(() => {
    if (shopping.value.owner !== owner) clearStage()
    void readShop()
    const reading = setInterval(() => void readShop(), READ_EVERY_MS)
    return () => clearInterval(reading)
  }, [owner])
  return (
    <div class="prizes">
      <h1>Boxes</h1>
      {!shop && <Refusal problem={problem} token="ETH" />}
      {!shop && !problem && <p class="loading">Loading …</p>}
      {shop && (
        <div class="panels">
          <div class="column">
            <Counter kinds={shop.kinds} boxes={shop.boxes} isSignedIn={owner !== undefined} />
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

interface CounterProps {
  kinds: Kind[]
  boxes: Box[]
  isSignedIn: boolean
}

/** Where boxes are bought, revealed and claimed: three prompts, one after the other. */
function Counter({ kinds, boxes, isSignedIn }: CounterProps) {
  const { boxId, deed, problem } = useDeed()
  const box = boxes.find((each) => each.boxId === boxId) ?? null
  const reached = box === null ? 0 : box.claimed ? 3 : box.state === 'revealed' ? 2 : 1
  return (
    <Panel title="Buy, reveal, claim">
      <div class="stack">
        <Stage box={box} kinds={kinds} />
        <Steps
          label="The box’s way"
          steps={DONE}
          waits={WAITS}
          current={reached}
          isAtWork={deed !== null}
        />
        {isSignedIn ? (
          <NextDeed key={`${boxId} ${reached}`} box={box} kinds={kinds} />
        ) : (
          <div class="row">
            <SignInButtons />
          </div>
        )}
        <Refusal problem={problem} token="ETH" />
        {box && !deed && reached < 3 && <BuyButtons kinds={kinds} isSmall />}
        <p class="muted">
          Each box takes three wallet confirmations. What is in it is fixed when you buy it; until
          then nobody can know.
        </p>
      </div>
    </Panel>
  )
}

const DONE = ['Bought', 'Revealed', 'Claimed']
const WAITS = ['Buy: prompt 1 of 3', 'Reveal: prompt 2 of 3', 'Claim: prompt 3 of 3']

function Stage({ box, kinds }: { box: Box | null; kinds: Kind[] }) {
  const { deed, step } = useDeed()
  const won = box && tierOf(box, kinds)
  const colour = won && rarity(won.tier, won.odds)
  const work = deed === 'reveal' || deed === 'buy' ? 'waiting' : ''
  return (
    <div class={`box-stage ${won ? `opened ${colour}` : work}`}>
      <BoxPicture />
      {deed && (
        <p class="muted" role="status">
          {step === 'wallet' ? 'Confirm in your wallet …' : 'Sent. Waiting for the chain …'}
        </p>
      )}
      {won && box && (
        <div class="won-prize" key={box.boxId}>
          <p class="label">{won.label}</p>
          <p class="amount">{assetAmount(box.prize ?? '0', 'REWARD')}</p>
          {box.claimed && <p class="good">Paid to your wallet</p>}
        </div>
      )}
    </div>
  )
}

/** What is to be done with the box on the stage; without one, or when it is done, another is bought. */
function NextDeed({ box, kinds }: { box: Box | null; kinds: Kind[] }) {
  const { deed } = useDeed()
  if (!box || box.claimed) return <BuyButtons kinds={kinds} />
  const [name, act] =
    box.state === 'closed' ? (['Reveal', revealBox] as const) : (['Claim', claimBox] as const)
  return (
    <button
      type="button"
      class="primary wide"
      aria-disabled={deed ? 'true' : 'false'}
      onClick={() => void (deed ?? act(box.boxId))}
    >
      {deed ? `${name} …` : `${name} · prompt ${name === 'Reveal' ? 2 : 3} of 3`}
    </button>
  )
}

function BuyButtons({ kinds, isSmall = false }: { kinds: Kind[]; isSmall?: boolean }) {
  const { deed } = useDeed()
  const sold = kinds.filter(({ isForSale }) => isForSale)
  if (sold.length === 0) return <p>No boxes are for sale now.</p>
  return (
    <>
      {sold.map(({ kind, price }) => (
        <button
          key={kind}
          type="button"
          class={isSmall ? '' : 'primary wide'}
          aria-disabled={deed ? 'true' : 'false'}
          onClick={() => void (deed ?? buyBox(kind))}
        >
          {deed === 'buy' ? (
            'Buying …'
          ) : (
            <>
              Buy {isSmall ? 'another' : nameOf(kind, kinds.length)} for{' '}
              <Money amountWei={price} token="ETH" />
              {!isSmall && ' · prompt 1 of 3'}
            </>
          )}
        </button>
      ))}
    </>
  )
}

function Odds({ kind: { kind, tiers }, count }: { kind: Kind; count: number }) {
  const prizes = tiers.map((tier) => ({ ...tier, asset: 'REWARD', amountWei: tier.prize }))
  return (
    <Panel title={`What is in ${nameOf(kind, count)}`}>
      <div class="stack">
        <PrizeTable
          caption="Prizes of the box"
          prizes={prizes}
          expectedValue={expectedValue(prizes)}
          won={null}
        />
      </div>
    </Panel>
  )
}

interface OwnBoxesProps {
  kinds: Kind[]
  boxes: Box[]
  stats: { bought: number; revealed: number; claimed: number }
}

function OwnBoxes({ kinds, boxes, stats }: OwnBoxesProps) {
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
    </Panel>
  )
}

function BoxRow({ box, kinds }: { box: Box; kinds: Kind[] }) {
  const { deed } = useDeed()
  const { boxId, state, prize, claimed } = box
  const won = tierOf(box, kinds)
  const act = state === 'closed' ? revealBox : claimBox
  return (
    <li>
      <span class="what">
        <strong>{won ? assetAmount(prize ?? '0', 'REWARD') : 'Closed box'}</strong>
        <span class="muted" title={boxId}>
          {won ? `${won.label} · ` : ''}no. {boxId.length > 8 ? `…${boxId.slice(-6)}` : boxId}
        </span>
      </span>
      {claimed ? (
        <span class="state good">Claimed</span>
      ) : (
        <button
          type="button"
          class="small"
          aria-disabled={deed ? 'true' : 'false'}
          onClick={() => void (deed ?? act(boxId))}
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
